import { type Line, LOG_VERSION, PROJECT_STREAM, type RootId, type StreamId, unreachable } from "@colloquy/schema";
import { checkedText, withByteRestored, withChecksum } from "../courses/checksum.ts";
import { checkpointText, type LostLine } from "../courses/course.ts";
import { type Disk, readWhole, realDisk, replaceFile } from "../disk/disk.ts";
import { type Examined, examine } from "./examine.ts";
import { IndexFile } from "../courses/index-file.ts";
import { inspect, type InspectOptions, placesOf, type Problem } from "./inspect.ts";
import { isRootId, Layout, PLACES, type StatusFolder } from "../disk/layout.ts";
import { lockProject } from "../disk/lock.ts";
import type { Meaning } from "./meaning.ts";
import { projectionBytes } from "../projections.ts";
import { entryText, type FoldEntry } from "./rebuild.ts";
import { unwrittenOf } from "../courses/unwritten.ts";
import { type Damage, survey } from "./survey.ts";

export type RepairOptions = InspectOptions & { readonly foldEntry: FoldEntry; readonly now?: () => number };

/** What was done about one problem. */
interface Done {
  readonly rootId: RootId | undefined;
  readonly message: string;
}

/**
 * Repairs what can be repaired. Nothing is deleted: what has to go is kept aside. Returns what was done, for people; it never includes what
 * is still broken.
 */
export async function repair(dir: string, options: RepairOptions): Promise<readonly string[]> {
  const { disk = realDisk, now = Date.now } = options;
  const layout = new Layout(dir);
  const problems = await inspect(dir, options);
  const lock = lockProject(disk, layout, options.processes, now());
  let done: readonly Done[];
  try {
    done = await new Mender(disk, layout, new Date(now()).toISOString(), options).mendAll(problems);
  } finally {
    if (lock.tookOver) lock.abandon();
    else lock.release();
  }
  if (done.length === 0) return [];
  const left = (await inspect(dir, options)).filter(({ kind }) => kind !== "noticed" && kind !== "leftover");
  return done.filter(({ rootId }) => left.every((one) => one.rootId !== rootId)).map(({ message }) => message);
}

class Mender {
  readonly #disk: Disk;
  readonly #layout: Layout;
  /** For names of files. */
  readonly #time: string;
  readonly #at: string;
  readonly #meaning: Meaning | undefined;
  readonly #foldEntry: FoldEntry;
  /** Trees to be listed again in the index, and those to be forgotten. */
  readonly #changed = new Set<StreamId>();
  readonly #gone = new Set<StreamId>();

  constructor(disk: Disk, layout: Layout, at: string, { meaning, foldEntry }: RepairOptions) {
    this.#disk = disk;
    this.#layout = layout;
    this.#time = at.replaceAll(/[:.]/g, "-");
    this.#at = at;
    this.#meaning = meaning;
    this.#foldEntry = foldEntry;
  }

  async mendAll(problems: readonly Problem[]): Promise<readonly Done[]> {
    const done: Done[] = [];
    for (const problem of problems) {
      const messages = await this.#mend(problem).catch((error: unknown) => {
        if (error instanceof Error && "code" in error) return []; // the file system refuses: it is found again, and reported as still broken
        throw error;
      });
      done.push(...messages.map((message) => ({ rootId: problem.rootId, message })));
    }
    await this.#listAgain();
    return done;
  }

  async #mend({ kind, file, line, rootId }: Problem): Promise<string[]> {
    const path = `${this.#layout.dir}/${file}`;
    if (rootId !== undefined && this.#gone.has(rootId)) return [];
    switch (kind) {
      case "damaged":
        return this.#cutOut(rootId ?? PROJECT_STREAM);
      case "leftover":
        this.#disk.remove(path);
        return [`${file} is removed.`];
      case "misplaced":
        return rootId ? [this.#move(rootId, file)] : [];
      case "unlisted":
        if (rootId) this.#changed.add(rootId);
        return [`${file} is taken into the index.`];
      case "missing":
        if (!rootId) return this.#rebuildProject(this.#time);
        this.#gone.add(rootId);
        return [`${file} is gone; the index does not list it any more.`];
      case "outdated":
        return rootId ? this.#makeAgain(rootId, file, line) : [];
      case "newer":
      case "noticed":
        return [];
      default:
        return unreachable(kind);
    }
  }

  /**
   * Repeats until the stream can be read and folded completely. If nothing is left of a tree, it is set aside with everything cut out, and
   * only that is reported.
   */
  async #cutOut(stream: StreamId): Promise<string[]> {
    const place = placesOf(this.#disk, this.#layout, stream)[0] ?? "run";
    const done = await this.#restore(stream, place);
    this.#changed.add(stream);
    for (let cut = 1; ; cut += 1) {
      const found = this.#examine(stream, place);
      if (!found) break;
      if (isDenied(found.damage)) return [];
      if (!found.damage) {
        if (stream !== PROJECT_STREAM && !this.#isAnythingLeft(stream, found)) return [this.#setAside(stream, place)];
        break;
      }
      if (stream !== PROJECT_STREAM && found.courses.length === 0) return [this.#setAside(stream, place)];
      const time = cut === 1 ? this.#time : `${this.#time}-${cut}`;
      const restored = await this.#restoreByte(stream, place, found.damage, time);
      if (restored !== undefined) done.push(restored);
      else if (stream === PROJECT_STREAM && this.#meaning?.missingFromProject) return [...done, ...(await this.#rebuildProject(time))];
      else done.push(await this.#cutOne(stream, place, found, found.damage, time));
    }
    if (stream === PROJECT_STREAM && done.length === 0 && this.#meaning?.missingFromProject) return this.#rebuildProject(this.#time);
    this.#disk.remove(this.#layout.snapshot(stream, place)); // it may cover what is no longer there
    return done.length > 0 ? done : [`${stream} ends earlier than the index says; the index follows it.`];
  }

  /** A line of which one byte is wrong says by its checksum which one it is, and what it was. */
  async #restoreByte(stream: StreamId, place: StatusFolder, damage: Damage, time: string): Promise<string | undefined> {
    const path = this.#layout.course(stream, place, damage.course);
    if (this.#disk.stat(path)?.isFolder !== false) return undefined;
    const lines = linesOf(readWhole(this.#disk, path) ?? Buffer.alloc(0));
    const bad = lines[damage.line - 1];
    const restored = bad && withByteRestored(bad);
    if (!restored) return undefined;
    const folder = this.#layout.folder(stream, place);
    await replaceFile(this.#disk, `${path}.bad-${time}`, bad, folder);
    await replaceFile(this.#disk, path, Buffer.concat(lines.with(damage.line - 1, restored)), folder);
    const name = this.#layout.name(path);
    return `${name}: one byte of line ${damage.line} was wrong and is restored by its checksum; the old line is kept in ${name}.bad-${time}.`;
  }

  /**
   * The project's own log, from the lines that can be read and from what the trees know. Its numbers are given anew, since nothing refers
   * to them. Grants are not among what trees know: those calls ask again.
   */
  async #rebuildProject(time: string): Promise<string[]> {
    const path = this.#layout.course(PROJECT_STREAM, "run", 1);
    const name = this.#layout.name(path);
    const isThere = this.#disk.stat(path) !== undefined;
    const old = this.#disk.stat(path)?.isFolder === false ? linesOf(readWhole(this.#disk, path) ?? Buffer.alloc(0)) : [];
    if (isThere) this.#disk.rename(path, `${path}.bad-${time}`);
    const kept = old.flatMap((line) => readableLine(line) ?? []).filter(({ events }) => this.#isProjectPart(events));
    const trees = Object.values(PLACES).flatMap((place) =>
      this.#disk
        .list(this.#layout.place(place))
        .filter(isRootId)
        .flatMap((rootId) => {
          const found = survey(this.#disk, this.#layout, rootId, place);
          return found ? [{ rootId, pos: found.pos, opened: found.foldable, lines: found.lines }] : [];
        }),
    );
    const missing =
      this.#meaning?.missingFromProject?.(
        kept.flatMap(({ events }) => events),
        trees,
      ) ?? [];
    const last = kept.at(-1) ?? { pos: Math.max(1, ...trees.map(({ pos }) => pos)), at: this.#at, events: [] };
    const lines = [...kept.slice(0, -1), { ...last, events: [...last.events, ...missing] }].filter(({ events }) => events.length > 0);
    let seq = 1;
    const texts = lines.map(({ pos, at, events }) => {
      const text = withChecksum(JSON.stringify({ v: LOG_VERSION, pos, seq, at, events }).slice(0, -1));
      seq += events.length;
      return text;
    });
    await replaceFile(this.#disk, path, Buffer.from(texts.join("")), this.#layout.dialogs);
    this.#disk.remove(this.#layout.snapshot(PROJECT_STREAM, "run"));
    this.#changed.add(PROJECT_STREAM);
    const from = isThere ? `; the old file is kept in ${name}.bad-${time}` : "";
    return [
      `${name} is rebuilt from ${trees.length} dialogs: ${seq - 1} events, ${missing.length} of them from the dialogs' own logs${from}.`,
    ];
  }

  #isProjectPart(events: readonly unknown[]): boolean {
    const line = { v: LOG_VERSION, pos: 1, seq: 1, at: this.#at, events: events as Line["events"] };
    return this.#meaning?.fold(PROJECT_STREAM, { base: undefined, lines: [line] }, new Set()).flaw === undefined;
  }

  #examine(stream: StreamId, place: StatusFolder): Examined | undefined {
    return examine(this.#disk, this.#layout, stream, place, this.#meaning);
  }

  #isAnythingLeft(rootId: RootId, { foldable, folded }: Examined): boolean {
    if (folded) return folded.entry !== undefined;
    return foldable.lines.length > 0 && (this.#meaning !== undefined || this.#foldEntry(rootId, foldable) !== undefined);
  }

  async #cutOne(stream: StreamId, place: StatusFolder, found: Examined, damage: Omit<Damage, "fault">, time: string): Promise<string> {
    const path = this.#layout.course(stream, place, damage.course);
    const name = this.#layout.name(path);
    const isLast = damage.course === found.courses.at(-1);
    const kept = `${path}.bad-${time}`;
    const folder = this.#layout.folder(stream, place);
    if (this.#disk.stat(path)?.isFolder) {
      this.#disk.rename(path, kept);
      if (!isLast) await replaceFile(this.#disk, path, fresh(damage.seq - 1), folder);
      return `${name} was no file; what was in its place is kept in ${name}.bad-${time}.`;
    }
    const lines = linesOf(readWhole(this.#disk, path) ?? Buffer.alloc(0));
    const bad = damage.line - 1;
    const write = (left: readonly Buffer[]) => replaceFile(this.#disk, path, Buffer.concat(left), folder);
    const keep = (dropped: readonly Buffer[]) => replaceFile(this.#disk, kept, Buffer.concat(dropped), folder);

    if (bad === 0 && stream !== PROJECT_STREAM) {
      // Only a base to fold from: readers go further back without it.
      const seq = found.lines.length > 0 || lines.length < 2 ? damage.seq - 1 : (seqIn(lines[1]) ?? 1) - 1;
      await keep(lines.slice(0, 1));
      await write([fresh(seq), ...lines.slice(1)]);
      return `${name}:1 could be made again; the old line is kept in ${name}.bad-${time}.`;
    }
    const seq = seqIn(lines[bad]);
    if (seq !== undefined && seq < damage.seq) {
      await keep(lines.slice(bad, bad + 1));
      await write([...lines.slice(0, bad), ...lines.slice(bad + 1)]);
      return `${name}: line ${damage.line}, which repeats events, is cut out, and kept in ${name}.bad-${time}.`;
    }
    const isGap = seq !== undefined && seq > damage.seq; // what came before it is missing
    const following = lines.slice(isGap ? bad : bad + 1);
    const next = firstSeq(following) ?? this.#seqAfter(stream, place, damage.course);
    if (isLast || next === undefined) {
      // Later events may depend on the lost ones, so the dialog continues from the last intact state.
      const later = found.courses.filter((course) => course > damage.course).map((course) => this.#layout.course(stream, place, course));
      for (const one of later) if (this.#disk.stat(one)) this.#disk.rename(one, `${one}.bad-${time}`);
      await keep(lines.slice(bad));
      await write(lines.slice(0, bad));
      return `${name}: line ${damage.line} and ${Math.max(0, lines.length - damage.line)} after it are cut out, and kept in ${name}.bad-${time}.`;
    }
    const [from, to] = [damage.seq, next - 1];
    const lost: LostLine = { v: LOG_VERSION, lost: { from, to, kept: `${name}.bad-${time}` } };
    await keep(isGap ? [] : lines.slice(bad, bad + 1));
    await write([...lines.slice(0, bad), Buffer.from(`${JSON.stringify(lost)}\n`), ...following]);
    return `${name}: line ${damage.line} (events ${from}–${to}) is cut out, and kept in ${name}.bad-${time}. The dialog continues; that piece of its history is gone.`;
  }

  /** The first event after a course, as the next one states it. */
  #seqAfter(stream: StreamId, place: StatusFolder, course: number): number | undefined {
    const path = this.#layout.course(stream, place, course + 1);
    if (this.#disk.stat(path)?.isFolder !== false) return undefined;
    const [checkpoint, ...lines] = linesOf(readWhole(this.#disk, path) ?? Buffer.alloc(0));
    const seq = checkpointSeqIn(checkpoint);
    return seq === undefined ? firstSeq(lines) : seq + 1;
  }

  /** Writes kept-aside bytes into their files where they fit. */
  async #restore(stream: StreamId, place: StatusFolder): Promise<string[]> {
    const done: string[] = [];
    for (const { course, at, path, name } of unwrittenOf(this.#disk, this.#layout, stream)) {
      const file = this.#layout.course(stream, place, course);
      const stat = this.#disk.stat(file);
      if (stat?.isFolder !== false || stat.size !== at) continue;
      const bytes = [readWhole(this.#disk, file), readWhole(this.#disk, path)].flatMap((one) => one ?? []);
      await replaceFile(this.#disk, file, Buffer.concat(bytes), this.#layout.folder(stream, place));
      this.#disk.remove(path);
      done.push(`${this.#layout.name(file)} got back what was kept in ${name}.`);
    }
    return done;
  }

  /** If nothing of a tree can be folded, all its files are kept where nothing takes them for a tree. */
  #setAside(stream: RootId, place: StatusFolder): string {
    const folder = this.#layout.folder(stream, place);
    const kept = `${this.#layout.dialogs}/bad-${this.#time}`;
    this.#disk.makeFolder(kept);
    this.#disk.rename(folder, `${kept}/${stream}`);
    this.#changed.delete(stream);
    this.#gone.add(stream);
    return `${this.#layout.name(folder)} holds nothing that can be read; it is kept in ${this.#layout.name(kept)}/, and not listed any more.`;
  }

  #move(rootId: RootId, file: string): string {
    const index = new IndexFile(this.#disk, this.#layout);
    const status = index.load()?.catalog.statusOf(rootId) ?? "running";
    index.close();
    const target = this.#layout.folder(rootId, PLACES[status]);
    this.#disk.makeFolder(this.#layout.place(PLACES[status]));
    if (!this.#disk.stat(target)) {
      this.#disk.rename(`${this.#layout.dir}/${file}`, target);
      return `${file} is moved to .dialogs/${PLACES[status]}/.`;
    }
    const kept = `${this.#layout.dialogs}/bad-${this.#time}`;
    this.#disk.makeFolder(kept);
    this.#disk.rename(`${this.#layout.dir}/${file}`, `${kept}/${rootId}`);
    return `${file} is there twice; this one is kept in ${this.#layout.name(kept)}/.`;
  }

  async #makeAgain(rootId: RootId, file: string, line: number | undefined): Promise<string[]> {
    const place = placesOf(this.#disk, this.#layout, rootId)[0] ?? "run";
    const found = this.#examine(rootId, place);
    if (!found) return [];
    const path = `${this.#layout.dir}/${file}`;
    if (path === this.#layout.index) {
      this.#changed.add(rootId);
      return [`${file} says again what the log of ${rootId} says.`];
    }
    if (this.#disk.stat(path)?.isFolder) this.#disk.rename(path, `${path}.bad-${this.#time}`);
    const checkpoint = found.checkpoints.find(({ course }) => this.#layout.course(rootId, place, course) === path);
    if (checkpoint && line === 1) {
      this.#changed.add(rootId); // of the newest course the index knows the end
      const at = { course: checkpoint.course, line, seq: checkpoint.snapshot.seq + 1 };
      return [await this.#cutOne(rootId, place, found, at, this.#time)];
    }
    const projection = found.folded?.files.find((one) => `${this.#layout.folder(rootId, place)}/${one.path}` === path);
    if (projection?.content === undefined) this.#disk.remove(path);
    else {
      const folder = path.slice(0, path.lastIndexOf("/"));
      this.#disk.makeFolder(folder);
      await replaceFile(this.#disk, path, projectionBytes(projection.path, projection.content), folder);
    }
    return [`${file} is made again from the log.`];
  }

  /** Makes the index match these trees' lines, and forget those that are gone. */
  async #listAgain(): Promise<void> {
    const index = new IndexFile(this.#disk, this.#layout);
    try {
      const loaded = index.load();
      if (!loaded || this.#changed.size + this.#gone.size === 0) return;
      for (const stream of this.#changed) {
        const place = placesOf(this.#disk, this.#layout, stream)[0];
        const found = place && this.#examine(stream, place);
        if (!found) continue;
        const entry = stream === PROJECT_STREAM ? undefined : this.#foldEntry(stream, found.foldable);
        loaded.catalog.put(stream, { ...found.head, entry: entry && entryText(entry) });
        // Without the lines that were cut out its status may differ.
        const target = entry ? PLACES[entry.status] : place;
        if (stream !== PROJECT_STREAM && target !== place && !this.#disk.stat(this.#layout.folder(stream, target)))
          this.#disk.rename(this.#layout.folder(stream, place), this.#layout.folder(stream, target));
      }
      if (this.#gone.size === 0) return await index.append(loaded.catalog, loaded.catalog.fresh(), loaded.meta);
      const rows = [...loaded.catalog.streams()].flatMap((stream) => {
        const known = this.#gone.has(stream) ? undefined : loaded.catalog.get(stream);
        return known ? [{ stream, known, isDue: loaded.catalog.isDue(stream) }] : [];
      });
      // Rewritten, because a row cannot be taken back. If that is interrupted, the next start rebuilds it from the course files.
      await replaceFile(
        this.#disk,
        `${this.#layout.index}.bad-${this.#time}`,
        readWhole(this.#disk, this.#layout.index) ?? Buffer.alloc(0),
        this.#layout.dialogs,
      );
      const catalog = index.empty();
      for (const { stream, known, isDue } of rows) catalog.put(stream, known, isDue);
      await index.append(catalog, catalog.fresh(), loaded.meta);
    } finally {
      index.close();
    }
  }
}

const fresh = (seq: number): Buffer => Buffer.from(checkpointText({ reducer: 0, seq, pos: 0, state: null }));

const isDenied = (damage: Damage | undefined): boolean => /cannot be read \((EACCES|EPERM)\)/.test(damage?.fault.message ?? "");

/** With their line ends; text after the last one is a line too. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at) + 1 || bytes.length;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
}

/** What a line of the project's log holds, whatever stands around it. */
function readableLine(line: Buffer): Pick<Line, "pos" | "at" | "events"> | undefined {
  const text = checkedText(line.toString().trimEnd());
  const { pos, at, events } = (text === undefined ? undefined : (parsed(Buffer.from(text)) as Partial<Line> | undefined)) ?? {};
  return typeof pos === "number" && typeof at === "string" && Array.isArray(events) ? { pos, at, events } : undefined;
}

interface ReadLine {
  readonly seq?: unknown;
  readonly events?: unknown;
  readonly lost?: { readonly from?: unknown };
  readonly checkpoint?: { readonly seq?: unknown };
}

function parsed(line: Buffer | undefined): ReadLine | undefined {
  try {
    return (JSON.parse(line?.toString() ?? "") as ReadLine | null) ?? undefined;
  } catch {
    return undefined; // damaged
  }
}

const numberOr = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const seqIn = (line: Buffer | undefined): number | undefined => numberOr(parsed(line)?.seq);
const checkpointSeqIn = (line: Buffer | undefined): number | undefined => numberOr(parsed(line)?.checkpoint?.seq);
/** Of the first line that states its position, also in place of lost ones. */
function firstSeq(lines: readonly Buffer[]): number | undefined {
  const [first] = lines;
  return numberOr(parsed(first)?.seq) ?? numberOr(parsed(first)?.lost?.from);
}
