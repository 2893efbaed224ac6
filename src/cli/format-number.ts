const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const cents = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** From here on digits say nothing any more, and a damaged file can hold hundreds of them. */
const TOO_LONG = 1e15;

/** A count with thousands separators: `12,345,678`; from 10^15 on `1.00e+15`. */
export function formatCount(count: number): string {
  return count < TOO_LONG ? whole.format(count) : count.toExponential(2);
}

/** US dollars with the digits that matter: `$1,234.56`, `$0.23`, `$0.0043`, `<$0.0001`. */
export function formatCost(dollars: number): string {
  if (dollars >= TOO_LONG) return `$${dollars.toExponential(2)}`;
  if (dollars > 0 && dollars < 0.0001) return "<$0.0001";
  return dollars > 0 && dollars < 0.1 ? `$${dollars.toFixed(4)}` : `$${cents.format(dollars)}`;
}

const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes in the largest binary unit of which there is at least one: `512 B`, `1.5 KiB`, `312 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${whole.format(bytes)} B`;
  let amount = bytes / 1024;
  let unit = 0;
  // 1023.5 would be shown as 1024.
  while (amount >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${amount < 9.95 ? amount.toFixed(1) : formatCount(Math.round(amount))} ${BYTE_UNITS[unit]}`;
}

/** A share between 0 and 1 as `12.3%`. */
export function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}

/** A number and its noun: `1 file`, `2,000 files`. */
export function formatQuantity(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
