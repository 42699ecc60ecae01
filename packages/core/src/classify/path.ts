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

/** `**` is any number of folders, `*` anything within a name, `?` one sign. */
export function fitsGlob(pattern: string, path: string): boolean {
  const source = plainPath(pattern)
    .split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/)
    .map((piece) => {
      if (piece === "**/") return "(?:[^/]+/)*";
      if (piece === "/**") return "(?:/.*)?";
      if (piece === "**") return ".*";
      if (piece === "*") return "[^/]*";
      if (piece === "?") return "[^/]";
      return piece.replace(/[.+^${}()|[\]\\]/g, "\\$&");
    })
    .join("");
  return new RegExp(`^${source}$`, "s").test(path);
}
