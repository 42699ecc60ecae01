import { dirname } from "node:path";
import type { DocumentDisk } from "@colloquy/runtime";
import { fingerprint } from "@colloquy/runtime";
import type { TreeEvent } from "@colloquy/schema";
import { demand } from "./broken.ts";
import type { Chance } from "./world/chance.ts";
import type { SimulatedDisk } from "./world/disk.ts";
import { Life, type Schedule } from "./world/schedule.ts";

/** A version that a document has or had. */
interface Version {
  readonly hash: string;
  /** Not synced. */
  readonly byHand: boolean;
}

/**
 * Taskdocs and memory of one project on the simulated disk, and the promises about them: who may replace which version, and that a
 * version reported as written stays.
 */
export class SimulatedDocuments {
  readonly #dir: string;
  readonly #disk: SimulatedDisk;
  readonly #schedule: Schedule;
  /** By path: the last version reported as written, and those since. */
  readonly #versions = new Map<string, Version[]>();
  /** Changes that are durable in the log, as path, old and new version. */
  readonly #recorded = new Set<string>();
  readonly #ofCall = new Map<string, { readonly path: string; readonly to: string }>();
  #edits = 0;
  changes = 0;
  /** The power was cut, and nobody has looked since. */
  wasCut = false;

  constructor(dir: string, disk: SimulatedDisk, schedule: Schedule) {
    this.#dir = dir;
    this.#disk = disk;
    this.#schedule = schedule;
  }

  /** Paths that somebody has written to. */
  get paths(): readonly string[] {
    return [...this.#versions.keys()];
  }

  /** The documents as one process sees them. */
  mount(life: Life): DocumentDisk {
    const disk = this.#disk.mount(life);
    const kindOf = (isFolder: boolean) => (isFolder ? "folder" : "file");
    const replace = (path: string, text: string | undefined, work: () => void): void => {
      if (life.isOver) return;
      const name = path.slice(this.#dir.length + 1);
      const [from, to] = [this.#hashOf(name), text === undefined ? "" : fingerprint(text)];
      work();
      if (this.#hashOf(name) === from) return; // it died during this write, or there was nothing to do
      this.changes += 1;
      const isKnown = this.#recorded.has(`${name} ${from} ${to}`);
      demand(isKnown, "SI13", () => `${name} became "${text}" in place of ${from}, and no durable event says so`);
      this.#add(name, { hash: to, byHand: false });
    };
    return {
      nowMs: () => this.#schedule.nowMs,
      elapsedMs: () => this.#schedule.nowMs,
      stat: (path) => {
        const stat = disk.stat(path);
        return stat && { kind: kindOf(stat.isFolder), size: stat.size, mtimeMs: this.#disk.changedMs(path) };
      },
      leadsAway: () => false,
      linkIn: () => undefined,
      read: (path) => this.#disk.text(path) ?? "",
      list: (folder) => disk.list(folder).map((name) => ({ name, kind: kindOf(disk.stat(`${folder}/${name}`)?.isFolder === true) })),
      writeSynced: async (path, text) => {
        disk.makeFolder(dirname(path));
        const fd = disk.open(path, "write");
        try {
          disk.truncate(fd, 0);
          writeWhole(disk, fd, text);
          await disk.sync(fd);
        } finally {
          disk.close(fd);
        }
      },
      rename: (from, to) => replace(to, this.#disk.text(from), () => disk.rename(from, to)),
      remove: (path) => (path.endsWith(".draft") ? disk.remove(path) : replace(path, undefined, () => disk.remove(path))),
      syncFolder: (path) => disk.syncFolder(path),
    };
  }

  /** A person with an editor: overwrites the file, or writes beside it and renames. Nothing is synced. */
  editByHand(path: string, chance: Chance): string {
    const disk = this.#disk.mount(new Life("an editor"));
    const whole = `${this.#dir}/${path}`;
    const text = `By hand, ${++this.#edits}.`;
    try {
      if (chance.is(0.1)) disk.remove(whole);
      else {
        const isBeside = chance.is(0.5);
        disk.makeFolder(dirname(whole));
        const place = isBeside ? `${whole}~` : whole;
        const fd = disk.open(place, "write");
        disk.truncate(fd, 0);
        writeWhole(disk, fd, text);
        disk.close(fd);
        if (isBeside) disk.rename(place, whole);
      }
    } catch {
      // Disk full: an editor reports it, and part of the text may be written.
    }
    this.#add(path, { hash: this.#hashOf(path), byHand: true });
    return this.#disk.text(whole) ?? "(removed)";
  }

  /** Call with each durable event. */
  hear(event: TreeEvent): void {
    if (event.type === "document.changed") {
      this.#recorded.add(`${event.path} ${event.from} ${event.to}`);
      if (event.call !== undefined) this.#ofCall.set(event.call, { path: event.path, to: event.to });
    }
    if (event.type === "document.written" && !event.taken) this.#settled(event.path, event.to);
    const change = event.type === "call.ended" && event.outcome === undefined ? this.#ofCall.get(event.call) : undefined;
    if (change) this.#settled(change.path, change.to);
  }

  /** A new process checks what the last one left: everything, or the synced part after a power cut. */
  reopened(): void {
    const isPowerCut = this.wasCut;
    this.wasCut = false;
    for (const [path, versions] of this.#versions) {
      const hash = this.#hashOf(path);
      const may = isPowerCut ? versions : versions.slice(-1);
      // An unsynced version may be half written.
      const isLoose = isPowerCut && versions.some(({ byHand }, nth) => byHand && nth > 0);
      demand(
        isLoose || may.some((version) => version.hash === hash),
        "SI13",
        () =>
          `${path} is "${this.#disk.text(`${this.#dir}/${path}`)}" after a crash; ${may.map((one) => one.hash).join(" or ")} was promised`,
      );
      if (isPowerCut) this.#versions.set(path, [{ hash, byHand: false }]);
    }
  }

  #settled(path: string, to: string): void {
    const versions = this.#versions.get(path) ?? [{ hash: "", byHand: false }];
    const nth = versions.findLastIndex((version) => version.hash === to);
    demand(nth >= 0, "SI13", () => `${path} is said to be written as ${to}, and never was`);
    this.#versions.set(path, versions.slice(nth));
  }

  #add(path: string, version: Version): void {
    const versions = this.#versions.get(path) ?? [{ hash: "", byHand: false }];
    this.#versions.set(path, [...versions, version]);
  }

  #hashOf(path: string): string {
    const text = this.#disk.text(`${this.#dir}/${path}`);
    return text === undefined ? "" : fingerprint(text);
  }
}

function writeWhole(disk: ReturnType<SimulatedDisk["mount"]>, fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += disk.write(fd, bytes.subarray(at), at);
}
