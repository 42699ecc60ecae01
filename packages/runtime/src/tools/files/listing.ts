import { realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { Ignored } from "./ignored.ts";
import { OpenFolder } from "./open-at.ts";
import { hiddenIn } from "../shell/stand-ins.ts";

export interface Listing {
  /** As shown: folders with a slash, links with their targets. */
  readonly shown: readonly string[];
  /** Ignored by `.gitignore`. */
  readonly ignored: readonly string[];
}

export function list(root: string, inside: string): Listing {
  const ignored = ignoredOnTheWay(root, inside);
  const isHidden = hiddenIn(root);
  const listing: { shown: string[]; ignored: string[] } = { shown: [], ignored: [] };
  OpenFolder.with(root, inside, (folder) => {
    const rules = ignored.with(folder, inside);
    for (const { name, kind } of folder.entries()) {
      const path = inside === "" ? name : `${inside}/${name}`;
      if (isHidden(path)) continue;
      const mark =
        kind === "folder" ? "/" : kind === "link" ? ` -> ${whereTo(root, path, isHidden)}` : kind === "other" ? " (special file)" : "";
      (rules.has(path, kind === "folder") ? listing.ignored : listing.shown).push(printable(name) + mark);
    }
  });
  return listing;
}

/** The rules that apply below a folder. An ignored folder that was requested by name is listed without them. */
export function ignoredOnTheWay(root: string, inside: string): Ignored {
  let ignored: Ignored = Ignored.nothing;
  const parts = inside === "" ? [] : inside.split("/");
  for (const [at, part] of parts.entries()) {
    const path = parts.slice(0, at).join("/");
    const outer = ignored;
    ignored = OpenFolder.with(root, path, (folder) => outer.with(folder, path));
    if (ignored.has(path === "" ? part : `${path}/${part}`, true)) return Ignored.nothing;
  }
  return ignored;
}

function whereTo(root: string, path: string, isHidden: (inside: string) => boolean): string {
  try {
    const target = relative(root, realpathSync.native(join(root, path)))
      .split(sep)
      .join("/");
    return target.startsWith("..") || isHidden(target) ? "(not open to tools)" : printable(target || ".");
  } catch {
    return "(nothing)"; // A dangling link: nothing more to say.
  }
}

/** A name can contain line breaks and worse, which would look like other names. */
export const printable = (name: string): string => (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name);
