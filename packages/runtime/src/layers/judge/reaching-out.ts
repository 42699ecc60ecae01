import { readlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, resolve } from "node:path";
import { boundedText, MAX_SETTINGS_BYTES } from "../../tools/files/bounded-text.ts";
import { folded, isInPackages } from "../../tools/files/hidden.ts";
import { commandsTakenOver } from "../../tools/protected/own-command.ts";
import { statOf } from "../identity.ts";
import type { FileRow } from "./file-row.ts";

interface Question {
  /** The real path of the project before the command, and after it. */
  readonly root: string;
  readonly merged: string;
  readonly rows: readonly FileRow[];
}

/** System programs and their data: following such a link does no harm there. */
const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32|nix\/store|gnu\/store)(?:\/|$)|^\/dev\/null$/;
const MAX_LINKS = 40;

/**
 * New links that lead out of the project. Tools and commands don't follow them, but people's programs do: a build that writes into such
 * a folder, or an `rm -r` of its content.
 */
export function outwardLinks({ root, merged, rows }: Question): readonly string[] {
  const was = new Follower(root, root);
  // A link that a command only moved is the person's own.
  const moved = new Set(
    rows.flatMap(({ path, kind, before }) => {
      const target = kind === "deleted" && before?.isLink ? linkAt(root, path) : undefined;
      return target === undefined ? [] : [was.end(path, target)];
    }),
  );
  const is = new Follower(root, merged);
  return rows.flatMap(({ path, after }) => {
    const target = after?.isLink ? linkAt(merged, path) : undefined;
    if (target === undefined) return [];
    const end = is.end(path, target);
    if (end !== undefined && (SYSTEM.test(end) || moved.has(end))) return [];
    const leadsOut = end === undefined || !isBelow(end, root) || !staysInside(root, path, target);
    return leadsOut ? [`the link ${path} leads out of the project: ${target}`] : [];
  });
}

/** Stays inside by its text alone, whatever happens to the folders on its way: it goes up only at its start. */
function staysInside(root: string, path: string, target: string): boolean {
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const named = parts.findIndex((part) => part !== "..");
  if (named >= 0 && parts.includes("..", named)) return false;
  return isBelow(resolve(root, dirname(path), target), root);
}

/** Follows links of the project under `base`, and those of the machine outside. */
class Follower {
  readonly #root: string;
  readonly #base: string;

  constructor(root: string, base: string) {
    this.#root = root;
    this.#base = base;
  }

  /** The machine path where a link ends; `undefined`: nowhere. */
  end(path: string, target: string): string | undefined {
    let left = MAX_LINKS;
    let place = isAbsolute(target) ? "/" : join(this.#root, dirname(path));
    const parts = target.split("/");
    while (parts.length > 0) {
      const next = normalize(join(place, parts.shift() ?? ""));
      const link = this.#linkAt(next);
      if (link === undefined) place = next;
      else {
        if ((left -= 1) === 0) return undefined;
        parts.unshift(...link.split("/"));
        if (isAbsolute(link)) place = "/";
      }
    }
    return place;
  }

  #linkAt(place: string): string | undefined {
    const real = place !== this.#root && isBelow(place, this.#root) ? join(this.#base, place.slice(this.#root.length + 1)) : place;
    try {
      return statOf(real)?.isSymbolicLink() ? readlinkSync(real) : undefined;
    } catch {
      return undefined; // Unreadable, or too long a name.
    }
  }
}

const isBelow = (place: string, folder: string): boolean => place === folder || place.startsWith(folder === "/" ? folder : `${folder}/`);

/** In installed packages only our own name counts: some of them ship `npm` or `node`, and nothing starts those through them. */
const OURS = new Set(["colloquy", "cq"]);

/** Manifests by which `npx colloquy` would start a file of the project, as the person. */
export function takenCommands({ root, merged, rows }: Question): readonly string[] {
  const target = linkAt(root, MANIFEST);
  const behind = target === undefined ? undefined : new Follower(root, root).end(MANIFEST, target);
  return rows.flatMap(({ path, after }) => {
    if (after?.isLink && holdsCommands(path)) return [`the link ${path} may lead to commands that people run outside of the sandbox`];
    if (!after || (!isManifest(path) && join(root, path) !== behind)) return [];
    // Nobody writes one that long or as a link, but npm would read it.
    if (after.isLink || after.bytes > MAX_SETTINGS_BYTES) return [`${path} could take over commands, which cannot be told from it`];
    const taken = commandsTakenOver(manifestAt(merged, path) ?? "", manifestAt(root, path));
    const counted = isInPackages(path) ? taken.filter((name) => OURS.has(name)) : taken;
    return counted.length === 0 ? [] : [`"bin" in ${path} takes over ${counted.join(", ")}, which people run outside of the sandbox`];
  });
}

const MANIFEST = "package.json";

export const isManifest = (path: string): boolean => folded(basename(path)) === MANIFEST;

/** A folder where `npx` looks for commands. */
function holdsCommands(path: string): boolean {
  const parts = path.split("/").map(folded);
  const at = parts.indexOf("node_modules");
  return at >= 0 && (at === parts.length - 1 || (at === parts.length - 2 && parts.at(-1) === ".bin"));
}

const linkAt = (base: string, path: string): string | undefined =>
  statOf(join(base, path))?.isSymbolicLink() ? readlinkSync(join(base, path)) : undefined;

export function manifestAt(base: string, path: string): string | undefined {
  return statOf(join(base, path))?.isFile() ? boundedText(join(base, path), MAX_SETTINGS_BYTES) : undefined;
}
