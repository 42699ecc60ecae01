import { posix } from "node:path";
import type { StoredDocument, StoredDocuments } from "@colloquy/store";
import type { Agreement } from "./agreement.ts";
import { type Document, type Documents, fingerprint } from "./documents.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";

/** What the mirror works with. */
interface MirrorParts {
  /** The files in this node's folder. */
  readonly files: Documents;
  readonly stored: StoredDocuments;
  readonly agreement: Agreement;
  /** Reports to a person that a file and the store had different changes. */
  readonly report: (message: string) => void;
}

/**
 * Documents of a project in a database: the store has the truth, and the folder a mirror of it that people can edit by hand. A file
 * that differs from what both last agreed on was edited here; if the store has changed too, the store's version counts, and the one
 * of this folder is kept beside it.
 */
export function mirroredDocuments(parts: MirrorParts): Documents {
  const { files, stored } = parts;
  const mirror = new Mirror(parts);
  return {
    read: (path) => files.read(path),
    linkIn: (path) => files.linkIn(path),
    has: (folder) => files.has(folder),
    list: (folder) => files.list(folder),
    ready: (folders) => mirror.ready(folders),
    async swap(path, from, text) {
      const to = text === undefined ? "" : fingerprint(text);
      const fate = await stored.swap({ path, from, to, text });
      await mirror.fetch(path, fate === "written" ? { path, hash: to, text } : undefined);
      return fate;
    },
  };
}

class Mirror {
  readonly #parts: MirrorParts;
  /** Folders that were compared with the store; from then on its news are followed. */
  readonly #known = new Set<string>();
  readonly #exclusive = new OneAtATime();

  constructor(parts: MirrorParts) {
    this.#parts = parts;
  }

  async ready(folders: readonly string[]): Promise<void> {
    const wanted = folders.map(normal);
    await this.#exclusive.alone("ready", async () => {
      const { stored } = this.#parts;
      // News are read first: what changes while the folders are read is then news of the next call.
      if (stored.hasNews) for (const document of await stored.since()) if (this.#covers(document.path)) await this.#arrive(document);
      const unknown = wanted.filter((folder) => !this.#covers(`${folder}/`));
      if (unknown.length > 0) {
        for (const document of await stored.below(unknown)) await this.#arrive(document);
        for (const folder of unknown) this.#known.add(folder);
      }
      for (const folder of wanted) await this.#sendEdits(folder);
    });
  }

  /** Makes the file what the store has. */
  async fetch(path: string, document?: StoredDocument): Promise<void> {
    await this.#exclusive.alone("ready", async () => {
      await this.#arrive(document ?? (await this.#stored(path)));
    });
  }

  #covers(path: string): boolean {
    for (let folder = posix.dirname(path); folder !== "."; folder = posix.dirname(folder)) if (this.#known.has(folder)) return true;
    return false;
  }

  /** The store has this version: so does the file afterwards. */
  async #arrive({ path, hash, text }: StoredDocument): Promise<void> {
    const { files, agreement, report } = this.#parts;
    const agreed = agreement.on(path);
    const here = files.read(path);
    const version = here?.hash ?? "";
    if (version !== hash) {
      if (hash === agreed) return; // edited here, and sent next
      if (here && version !== agreed) {
        const aside = `${path}.mine-${version}`;
        await files.swap(aside, "", here.text);
        report(`${path} was changed elsewhere while it was edited here. Yours is in ${aside}.`);
      }
      if (files.linkIn(path) !== undefined || (await files.swap(path, version, text)) === "taken") return; // edited just now, or a link
    }
    agreement.reached(path, hash);
  }

  /** What people changed in the folder goes to the store. */
  async #sendEdits(folder: string): Promise<void> {
    const { files, agreement } = this.#parts;
    if (files.linkIn(folder) !== undefined) return;
    const exists = files.has(folder);
    const here = exists ? files.list(folder).map((path) => `${folder}/${path}`) : [];
    for (const path of new Set([...here, `${folder}/config.json`, ...agreement.below(folder)])) {
      const file = files.read(path);
      if ((file?.hash ?? "") === (agreement.on(path) ?? "") || file?.isTooLarge) continue;
      // A folder that is gone as a whole was not edited: this is a new copy of the project's files.
      if (!exists) agreement.forget(path);
      if (!exists || (await this.#send(path, file)) === "taken") await this.#arrive(await this.#stored(path));
    }
  }

  async #send(path: string, file: Document | undefined): Promise<"written" | "taken"> {
    const { stored, agreement } = this.#parts;
    const to = file?.hash ?? "";
    const fate = await stored.swap({ path, from: agreement.on(path) ?? "", to, text: file?.text });
    if (fate === "written") agreement.reached(path, to);
    return fate;
  }

  async #stored(path: string): Promise<StoredDocument> {
    const found = await this.#parts.stored.below([posix.dirname(path)]);
    return found.find((one) => one.path === path) ?? { path, hash: "", text: undefined };
  }
}

const normal = (folder: string): string => posix.normalize(folder).replace(/\/$/, "");
