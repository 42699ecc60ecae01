// Components of the page are markup: their state is in hooks, and none is longer than a screen. Public hooks only subscribe to the client's
// stores. Run by `npm run check`.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

const MAX_COMPONENT_LINES = 80;
const MAX_PAGE_HOOK_LINES = 60;
const MAX_PUBLIC_HOOK_LINES = 30;

const isHook = (/** @type {string} */ name) => /^use[A-Z]/.test(name);

/**
 * Functions of a file, and their lengths. The formatter puts the first and last line of each at the margin.
 * @param {string} source
 * @returns {readonly { readonly name: string, readonly lines: number }[]}
 */
function functionsIn(source) {
  const lines = source.split("\n");
  return lines.flatMap((line, first) => {
    const [, name] = /^(?:export )?(?:async )?(?:function|const) (\w+).*(?:[({]|=>)$/.exec(line) ?? [];
    const last = lines.findIndex((one, at) => at > first && /^\S*[)}\]>];?$/.test(one));
    return name === undefined ? [] : [{ name, lines: last - first + 1 }];
  });
}

/**
 * Functions of a file of components that are too long.
 * @param {string} source
 */
export const longComponents = (source) => functionsIn(source).filter(({ lines }) => lines > MAX_COMPONENT_LINES);

/**
 * Hooks of a file that are too long.
 * @param {string} source
 * @param {number} maxLines
 */
export const longHooks = (source, maxLines) => functionsIn(source).filter(({ name, lines }) => isHook(name) && lines > maxLines);

/**
 * @param {string} folder a repository
 * @param {string} pattern of files
 * @param {(source: string) => readonly { readonly name: string, readonly lines: number }[]} longIn
 * @param {string} advice
 */
const problemsOf = (folder, pattern, longIn, advice) =>
  globSync(pattern, { cwd: folder }).flatMap((file) =>
    longIn(readFileSync(join(folder, file), "utf8")).map(({ name, lines }) => `${file}: ${name} has ${lines} lines; ${advice}`),
  );

/** @param {string} folder a repository */
export const checkComponents = (folder) => [
  ...problemsOf(
    folder,
    "packages/web/src/**/*.tsx",
    longComponents,
    `move state into a hook, or markup into a component (at most ${MAX_COMPONENT_LINES}).`,
  ),
  ...problemsOf(
    folder,
    "packages/web/src/**/*.{ts,tsx}",
    (source) => longHooks(source, MAX_PAGE_HOOK_LINES),
    `move one of its concerns into a hook of its own (at most ${MAX_PAGE_HOOK_LINES}).`,
  ),
  ...problemsOf(
    folder,
    "packages/react/src/**/*.{ts,tsx}",
    (source) => longHooks(source, MAX_PUBLIC_HOOK_LINES),
    `move what it does into the client's stores (at most ${MAX_PUBLIC_HOOK_LINES}).`,
  ),
];

if (import.meta.main) {
  const held = `components of the page have at most ${MAX_COMPONENT_LINES} lines, its hooks ${MAX_PAGE_HOOK_LINES}, public hooks ${MAX_PUBLIC_HOOK_LINES}`;
  report(checkComponents(root), held);
}
