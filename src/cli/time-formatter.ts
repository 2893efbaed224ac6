/** Makes a function that writes Unix milliseconds as `2026-03-01 09:05`, in the given zone. */
export function timeFormatter(timeZone: string): (milliseconds: number) => string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (milliseconds) => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(milliseconds)) part[type] = value;
    return `${part.year!.padStart(4, "0")}-${part.month}-${part.day} ${part.hour}:${part.minute}`;
  };
}
