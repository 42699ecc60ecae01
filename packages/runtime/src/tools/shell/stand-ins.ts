import { lstatSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isHidden } from "../files/hidden.ts";

/** Names that Colloquy itself reads in the project's folder. */
const OWN_NAMES = ["colloquy.yaml", "agents", "memory", "prd", ".dialogs", ".env", ".git"];

/**
 * People may replace one of these by a link (`agents -> team`). The returned function maps a path below the link's target (`team/x`) to
 * the path below the link (`agents/x`), and leaves all others unchanged.
 */
export function standIns(root: string): (inside: string) => string {
  const links = OWN_NAMES.flatMap((name) => {
    const target = targetOf(root, name);
    return target === undefined ? [] : [{ name, target }];
  });
  return (inside) => {
    const link = links.find(({ target }) => inside === target || inside.startsWith(`${target}/`));
    return link ? link.name + inside.slice(link.target.length) : inside;
  };
}

/** Is a path of the project hidden, by its own name or as the target of such a link? */
export function hiddenIn(root: string): (inside: string) => boolean {
  const stoodFor = standIns(root);
  return (inside) => isHidden(inside) || isHidden(stoodFor(inside));
}

function targetOf(root: string, name: string): string | undefined {
  if (!lstatSync(join(root, name), { throwIfNoEntry: false })?.isSymbolicLink()) return undefined;
  try {
    return relative(root, realpathSync.native(join(root, name)))
      .split(sep)
      .join("/");
  } catch {
    return undefined; // A dangling link.
  }
}
