import { fitsSteps, literally, type Step } from "./wildcard.ts";

/** A path as seen from the project's folder: no `.`, no doubled or closing slashes, `..` worked out as far as it goes. */
export function plainPath(path: string, folder = ".", dir?: string): string {
  const inside =
    dir !== undefined && (path === dir || path.startsWith(`${dir.replace(/\/+$/, "")}/`))
      ? path.slice(dir.replace(/\/+$/, "").length + 1)
      : undefined;
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

/** `**` is any number of folders, `*` anything within a name, `?` one sign. */
export function fitsGlob(pattern: string, path: string): boolean {
  const pieces = plainPath(pattern).split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/);
  return fitsSteps(
    pieces.flatMap((piece) => WILDCARDS[piece] ?? literally(piece)),
    path,
  );
}
