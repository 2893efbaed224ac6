import { resolveSession } from "../scan/resolve-session.js";
import { type CommandArgument, type CommandRequest, libraryOptions } from "./command.js";

const summary = "a path, an id or the beginning of one, or latest for the one used last";

export const sessionArgument: CommandArgument = { name: "<session>", summary };

export const optionalSessionArgument: CommandArgument = {
  name: "[session]",
  summary: `${summary}; default: the whole store`,
};

/** The path of the session that a command's first word means. Throws a StoreError when there is none, or several. */
export async function sessionPath(request: CommandRequest): Promise<string> {
  return await resolveSession(request.words[0]!, libraryOptions(request));
}
