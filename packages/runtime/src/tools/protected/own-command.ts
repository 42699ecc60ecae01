/** Names by which people start us, and what `npx` or `npm start` runs on the way. */
const OWN_COMMANDS = new Set(["colloquy", "cq", "node", "sh", "npm", "npx"]);

/**
 * Our commands that a manifest (`package.json`) would take over. `npx colloquy` and `npm install` follow its `bin`: the named file
 * would then run as the person, outside the sandbox. Entries from before the change are the person's own.
 */
export function commandsTakenOver(manifest: string, before: string | undefined): readonly string[] {
  const own = binOf(before ?? "");
  const taken = [...binOf(manifest)].flatMap(([name, file]) => (isTaken(name) && own.get(name) !== file ? [name] : []));
  // All files of a folder become commands, including later ones.
  return taken.includes(ANY) ? ["colloquy"] : taken;
}

const ANY = "*";
const isTaken = (name: string): boolean => name === ANY || OWN_COMMANDS.has(name);

/** As npm reads it: commands by name; `*` if a folder defines them. */
function binOf(manifest: string): ReadonlyMap<string, string> {
  try {
    const { name, bin, directories } = (JSON.parse(manifest.replace(/^\uFEFF/, "")) ?? {}) as Readonly<Record<string, unknown>>;
    // A single file gets the package's name, without the scope.
    if (typeof bin === "string" && bin !== "") return new Map([[commandName(String(name)), bin]]);
    if (Array.isArray(bin)) return new Map(bin.map((file) => [commandName(String(file)), String(file)]));
    if (bin) return new Map(Object.entries(bin).map(([command, file]) => [commandName(command), String(file)]));
    const folder = (directories as { readonly bin?: unknown } | undefined)?.bin;
    return new Map(typeof folder === "string" ? [[ANY, folder]] : []);
  } catch {
    return new Map(); // npm cannot read it either
  }
}

/** npm drops folders before a name, and some systems ignore its case. */
const commandName = (name: string): string => (name.split(/[/\\:]/).at(-1) ?? "").toLowerCase();
