/** Names by which people start us, and what a start by `npx` or `npm start` runs on its way. */
const OWN_COMMANDS = new Set(["colloquy", "cq", "node", "sh", "npm", "npx"]);

/**
 * The commands of ours that a manifest (`package.json`) would take over. `npx colloquy` and `npm install` follow its `bin`: the file
 * that it names would then run as the person, outside of the sandbox. What stood there before is the person's own.
 */
export function commandsTakenOver(manifest: string, before: string | undefined): readonly string[] {
  const own = binOf(before ?? "");
  return [...binOf(manifest)].flatMap(([name, file]) => (OWN_COMMANDS.has(name) && own.get(name) !== file ? [name] : []));
}

function binOf(manifest: string): ReadonlyMap<string, string> {
  try {
    const { name, bin } = (JSON.parse(manifest.replace(/^\uFEFF/, "")) ?? {}) as { readonly name?: unknown; readonly bin?: unknown };
    // One file alone has the name of its package, without the scope.
    if (typeof bin === "string") return new Map([[String(name).replace(/^@[^/]*\//, ""), bin]]);
    return new Map(Object.entries(bin ?? {}).map(([command, file]) => [command, String(file)]));
  } catch {
    return new Map(); // npm cannot read it either
  }
}
