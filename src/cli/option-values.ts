/** How the values of options are read. Commander turns an InvalidArgumentError into its own message about the option. */
import { InvalidArgumentError } from "commander";
import { nearestName } from "./nearest-name.js";

/** A value that says something. */
export function parseText(value: string): string {
  if (value === "") throw new InvalidArgumentError("It is empty.");
  return value;
}

/** Gathers the values of an option that may be given several times. */
export function collect(value: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), parseText(value)];
}

/** A whole number of 1 or more. */
export function parsePositiveInteger(value: string): number {
  const number = /^\d+$/.test(value) ? Number(value) : 0;
  if (number < 1 || !Number.isSafeInteger(number)) {
    throw new InvalidArgumentError("It must be a whole number of 1 or more.");
  }
  return number;
}

/** US dollars, 0 or more. */
export function parseDollars(value: string): number {
  if (!/^\$?(\d+\.?\d*|\.\d+)$/.test(value)) {
    throw new InvalidArgumentError("It must be an amount in US dollars, 0 or more, as in 12.50.");
  }
  return Number(value.replace("$", ""));
}

/** Minutes, above 0. */
export function parseMinutes(value: string): number {
  const minutes = /^(\d+\.?\d*|\.\d+)$/.test(value) ? Number(value) : 0;
  if (!(minutes > 0 && Number.isFinite(minutes))) {
    throw new InvalidArgumentError("It must be a number of minutes above 0, as in 5 or 0.5.");
  }
  return minutes;
}

/** Makes a parser of one name out of `choices`. */
export function choiceParser<Choice extends string>(choices: readonly Choice[]): (value: string) => Choice {
  return (value) => {
    const choice = choices.find((each) => each === value);
    if (choice !== undefined) return choice;
    const nearest = nearestName(value, choices);
    throw new InvalidArgumentError(`It can be ${choices.join(", ")}; did you mean ${nearest}?`);
  };
}

/** Makes a parser of names out of `choices`, separated by commas; the option may be given several times, and a name twice counts once. */
export function choiceListParser<Choice extends string>(
  choices: readonly Choice[],
): (value: string, previous: Choice[] | undefined) => Choice[] {
  return (value, previous = []) => {
    const chosen = new Set(previous);
    for (const word of value.split(",")) {
      const name = word.trim();
      const choice = choices.find((each) => each === name);
      if (choice === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
      chosen.add(choice);
    }
    return [...chosen];
  };
}

/** A time zone by its IANA name, in any case. */
export function parseTimeZone(value: string): string {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: value });
    return value;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const nearest = nearestName(value, ["UTC", ...Intl.supportedValuesOf("timeZone")]);
    throw new InvalidArgumentError(
      `It must be an IANA name such as UTC, Europe/Berlin or America/New_York; the nearest is ${nearest}.`,
    );
  }
}
