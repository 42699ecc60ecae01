import { fitsSteps, literally, type Step } from "./wildcard.ts";

/** Where the project is, and where its links lead. */
export interface ProjectPlace {
  readonly dir?: string | undefined;
  /** Resolves links, relative to the project. */
  readonly realPath?: ((inside: string) => string) | undefined;
}

/** A path as given and its real path, both relative to the project. A linked file has two names, and a rule may mean either. */
export function pathsMeant(path: string, folder: string, { dir, realPath }: ProjectPlace): readonly string[] {
  const plain = plainPath(path, folder, dir);
  return [...new Set([plain, realPath?.(plain) ?? plain])];
}

/**
 * A pattern as written, and with the real path of the folder or file that it names: a person may have named a link. What a command writes
 * through that link has only the real path.
 */
export function patternsMeant(pattern: string, { dir, realPath }: ProjectPlace): readonly string[] {
  const plain = plainPath(pattern, ".", dir);
  const wild = plain.search(/[*?]/);
  const named = wild < 0 ? plain : plain.slice(0, Math.max(0, plain.lastIndexOf("/", wild)));
  const real = named === "" ? "" : (realPath?.(named) ?? named);
  return real === named ? [pattern] : [pattern, `${real === "" ? "." : real}${plain.slice(named.length)}`];
}

/** Without a regular expression, because one anchored at the end would retry at every slash. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** A path relative to the project: no `.`, no double or trailing slashes, `..` resolved as far as possible. */
export function plainPath(path: string, folder = ".", dir?: string): string {
  const root = dir === undefined ? undefined : withoutEndSlashes(dir);
  const inside = root !== undefined && (path === dir || path.startsWith(`${root}/`)) ? path.slice(root.length + 1) : undefined;
  const whole = inside ?? (path.startsWith("/") || folder === "." ? path : `${folder}/${path}`);
  const parts: string[] = [];
  for (const part of whole.replace(/\\/g, "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return (inside === undefined && path.startsWith("/") ? "/" : "") + parts.join("/");
}

const inName = (sign: string): boolean => sign !== "/";
const any = (): boolean => true;
const WILDCARDS: Readonly<Record<string, readonly Step[]>> = {
  "**/": [{ optional: 4 }, { takes: inName }, { takes: inName, often: true }, { sign: "/" }, { back: 4 }],
  "/**": [{ optional: 2 }, { sign: "/" }, { takes: any, often: true }],
  "**": [{ takes: any, often: true }],
  "*": [{ takes: inName, often: true }],
  "?": [{ takes: inName }],
};

/** `**` matches any number of folders, `*` anything within a name, `?` one character. */
export function fitsGlob(pattern: string, path: string): boolean {
  const { head, steps } = compiled(pattern);
  return path.startsWith(head) && fitsSteps(steps, path);
}

interface Glob {
  /** The literal text that every matching path begins with. */
  readonly head: string;
  readonly steps: readonly Step[];
}

/** A cache: a project matches a few patterns against thousands of paths. */
const globs = new Map<string, Glob>();
const MAX_GLOBS = 1_000;

function compiled(pattern: string): Glob {
  const known = globs.get(pattern);
  if (known) return known;
  const pieces = plainPath(pattern).split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/);
  const glob = { head: pieces[0] ?? "", steps: pieces.flatMap((piece) => WILDCARDS[piece] ?? literally(piece)) };
  if (globs.size >= MAX_GLOBS) globs.clear();
  globs.set(pattern, glob);
  return glob;
}
