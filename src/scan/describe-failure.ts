/** Why a file could not be read, in a few words. */
export function describeFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "ENOENT":
      return "no such file";
    case "ELOOP":
      return "a loop of links";
    default:
      return message;
  }
}
