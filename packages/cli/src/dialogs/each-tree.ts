import { failureOf } from "../line/failure.ts";

/** Does something with one tree after the other. One that fails keeps no other from its turn; what went wrong is returned, in words for people. */
export async function eachTree<Tree>(
  trees: readonly Tree[],
  work: (tree: Tree) => Promise<void>,
): Promise<{ readonly done: readonly Tree[]; readonly failures: readonly string[] }> {
  const done: Tree[] = [];
  const failures: string[] = [];
  for (const tree of trees) {
    try {
      await work(tree);
      done.push(tree);
    } catch (error) {
      failures.push(failureOf(error).message);
    }
  }
  return { done, failures };
}
