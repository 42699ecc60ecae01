import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The version of each document that a folder and the store last both had. */
export interface Agreement {
  /** Undefined if there was none. */
  on(path: string): string | undefined;
  /** Documents below a folder that both had, or that both knew to be removed. */
  below(folder: string): readonly string[];
  reached(path: string, hash: string): void;
  forget(path: string): void;
}

/** Rewritten when it is opened with this many outdated lines. */
const MAX_OUTDATED_LINES = 1_000;

/**
 * Kept in `.dialogs/documents.log`, a line per change; the newest counts. It is not synced: if lines are lost, a file that differs from
 * the store's document is kept beside it, and nothing else happens.
 */
export function agreementIn(dir: string): Agreement {
  const file = join(dir, ".dialogs", "documents.log");
  const versions = new Map<string, string>();
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  for (const line of lines) {
    const [hash = "", path] = split(line);
    if (path === undefined) continue;
    if (hash === FORGOTTEN) versions.delete(path);
    else versions.set(path, hash);
  }
  if (lines.length > versions.size + MAX_OUTDATED_LINES) {
    writeFileSync(`${file}.new`, [...versions].map(([path, hash]) => `${hash} ${path}\n`).join(""), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return newAgreement(versions, (path, hash) => appendFileSync(file, `${hash} ${path}\n`, { mode: 0o600 }));
}

/** `note` is called with each change. */
export function newAgreement(
  versions = new Map<string, string>(),
  note: (path: string, hash: string) => void = () => undefined,
): Agreement {
  return {
    on: (path) => versions.get(path),
    below: (folder) => [...versions.keys()].filter((path) => path.startsWith(`${folder}/`)),
    reached(path, hash) {
      if (versions.get(path) === hash) return;
      versions.set(path, hash);
      note(path, hash);
    },
    forget(path) {
      if (versions.delete(path)) note(path, FORGOTTEN);
    },
  };
}

const FORGOTTEN = "-";

function split(line: string): readonly [hash?: string, path?: string] {
  const gap = line.indexOf(" ");
  return gap < 0 ? [] : [line.slice(0, gap), line.slice(gap + 1)];
}
