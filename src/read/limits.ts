/** The default limit on the length of a line when one session is read: longer lines are read as a token stream. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The same when whole stores are read. */
export const STORE_MAX_LINE_BYTES = 1024 * 1024;
