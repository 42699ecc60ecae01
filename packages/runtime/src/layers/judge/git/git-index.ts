import type { GitReader } from "./git-reader.ts";
import { isPlainPath } from "./git-versions.ts";
import type { Operation } from "../../operation.ts";

/**
 * The index says where git writes files when a person restores them. One that names a place outside of the project or in a git folder,
 * such as a hook, is not applied. Gives its path, if it is such a one or nobody can read it.
 */
export async function unsafeIndex(git: GitReader, operations: readonly Operation[]): Promise<string | undefined> {
  const index = `${git.folder}/index`;
  if (!operations.some((operation) => operation.path === index && operation.do === "put")) return undefined;
  const listed = await git.run("after", ["ls-files", "-z", "--cached"]);
  return listed === undefined || listed.split("\0").some((path) => path !== "" && !isPlainPath(path)) ? index : undefined;
}
