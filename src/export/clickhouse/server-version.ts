/** What a server's version lets its tables be made of. */
export interface ServerAbilities {
  /** Times with milliseconds; before, `DateTime` holds whole seconds from 1970 to 2106. */
  hasDateTime64: boolean;
  hasLowCardinality: boolean;
  hasBool: boolean;
  /** Inserts that a profile may have answered before they are stored. */
  hasAsyncInserts: boolean;
}

/** Reads a version as servers tell it, as in `18.16.1` or `26.7.2.1`. Of one that can't be read, the least is expected. */
export function readAbilities(version: string): ServerAbilities {
  const [, year = "0", month = "0"] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const number = Number(year) * 100 + Number(month);
  return {
    hasLowCardinality: number >= 19_04,
    hasDateTime64: number >= 20_01,
    hasAsyncInserts: number >= 21_11,
    hasBool: number >= 21_12,
  };
}
