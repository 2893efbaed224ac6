import { headerCwd, type SessionHeader } from "../format/header.js";

/** A test for headers: cwd is one of the projects' paths or below one. Paths of Windows count as well. */
export function projectFilter({
  projects = [],
}: {
  projects?: readonly string[] | undefined;
}): (header: SessionHeader) => boolean {
  if (projects.length === 0) return () => true;
  const folders = projects.map(plainPath);
  return (header) => {
    const cwd = headerCwd(header);
    if (cwd === null) return false;
    const path = plainPath(cwd);
    return folders.some((folder) => path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`));
  };
}

/** A path with `/` throughout and none at its end. */
function plainPath(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  // Step by step: an expression that looks for slashes at the end takes quadratic time where a header is full of them.
  let end = slashed.length;
  while (end > 1 && slashed[end - 1] === "/") end--;
  return slashed.slice(0, end);
}
