import { failureOf } from "../line/failure.ts";

/** Processes trees one by one. A failure doesn't stop the others; errors are returned as text for people. */
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
