import { createHash } from "node:crypto";
import { applyAll, emptyTree, stuckAsk, type Tree } from "@colloquy/core";
import { isCall, type Line, PROJECT_STREAM, type ProjectEvent, type RootId, type StreamId, type TreeEvent } from "@colloquy/schema";
import type { Committed, Store, StreamPart } from "@colloquy/store";
import { ApprovalWatch } from "./approval-watch.ts";
import { ChoiceWatch } from "./choice-watch.ts";
import { demand } from "../broken.ts";
import type { Life } from "../world/schedule.ts";
import { OutputWatch } from "./output-watch.ts";
import { TaskWatch } from "./task-watch.ts";

/** Marks in the texts of people, models and tools, recognized wherever they turn up. */
const MARK = /#[mwt]\d+#/g;
export const marksIn = (text: string): readonly string[] => text.match(MARK) ?? [];

interface Kept {
  readonly line: Line;
  readonly text: string;
}

/** A submitted commit with an unknown outcome. */
interface Attempt {
  readonly parts: readonly StreamPart[];
}

/**
 * The store's promises, kept outside it: each commit that it reported as durable. Every new process is compared with it, and it counts
 * what must never happen twice.
 */
export class Ledger {
  readonly trees = new Map<RootId, Tree>();
  readonly tasks = new TaskWatch(this.trees);
  readonly approvals = new ApprovalWatch();
  readonly outputs = new OutputWatch(this.trees);
  readonly choices = new ChoiceWatch();
  readonly #streams = new Map<StreamId, Kept[]>();
  readonly #begins = new Map<string, Line>();
  #attempts: Attempt[] = [];
  #pos = 0;
  /** Marks in the log. */
  readonly #marks = new Set<string>();
  /** Things that happen once: the position, by kind and id. */
  readonly #once = new Map<string, string>();
  readonly #signed = new Map<string, string>();
  readonly started = new Set<string>();
  /** Calls that have run on their layers. */
  readonly ran = new Set<string>();
  /** Calls that people asked to undo, and whether they are undone; undefined while unknown. */
  readonly undos = new Map<string, boolean | undefined>();
  /** Blobs beside the log, by the trees whose events show them. */
  readonly #beside: { readonly rootId: RootId; readonly name: string; readonly bytes: number }[] = [];
  /** Called with each event of a tree, the first time it is known. */
  onEvent: (event: TreeEvent) => void = () => undefined;
  /** Called with each commit, the first time it is known. */
  onLine: (stream: StreamId, line: Line) => void = () => undefined;

  get pos(): number {
    return this.#pos;
  }

  isDurable(mark: string): boolean {
    return this.#marks.has(mark);
  }

  lines(stream: StreamId): readonly Line[] {
    return (this.#streams.get(stream) ?? []).map(({ line }) => line);
  }

  /** The commit that starts with this event. */
  lineAt(stream: StreamId, seq: number): Line | undefined {
    return this.#begins.get(`${stream} ${seq}`);
  }

  eventAt(stream: StreamId, seq: number): Line["events"][number] | undefined {
    const line = this.#streams.get(stream)?.findLast((one) => one.line.seq <= seq)?.line;
    return line?.events[seq - line.seq];
  }

  has(kind: string, id: string): boolean {
    return this.#once.has(`${kind} ${id}`);
  }

  /** The position of a command in the log, if it is there. */
  placeOf(by: string, msgId: string): string | undefined {
    return this.#signed.get(`${by} ${msgId}`);
  }

  /** Wraps the store of one process, to record its commits. */
  overhear(store: Store, life: Life): Store {
    return new Proxy(store, {
      get: (target, property) => {
        if (property === "commit") return (...args: Parameters<Store["commit"]>) => this.#commit(target, life, ...args);
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
  }

  async #commit(store: Store, life: Life, ...[parts, atMs]: Parameters<Store["commit"]>): Promise<Committed> {
    const attempt: Attempt = { parts };
    this.#attempts.push(attempt);
    try {
      const committed = await store.commit(parts, atMs);
      if (!life.isOver) this.#settled(attempt, committed);
      return committed;
    } catch (error) {
      const { code } = error as { code?: string };
      // The outcome of a failed sync is unknown; any other failure means that nothing was written.
      if (!life.isOver && code !== "log_unavailable") this.#attempts = this.#attempts.filter((one) => one !== attempt);
      throw error;
    }
  }

  #settled(attempt: Attempt, { pos, lines }: Committed): void {
    demand(this.#attempts[0] === attempt, "SI6", () => `commit ${pos} became durable before one that was made earlier`);
    this.#attempts.shift();
    demand(pos === this.#pos + 1, "SI6", () => `commit ${pos} follows ${this.#pos}`);
    this.#pos = pos;
    for (const { stream, line } of lines) this.#keep(stream, line);
  }

  /** A new process must find everything promised, and a prefix of the pending commits, each whole. */
  async reopened(store: Store): Promise<void> {
    const head = store.health().pos;
    demand(head >= this.#pos, "SI1", () => `the log ends at commit ${head}; ${this.#pos} was durable`);
    const more = new Map<number, { stream: StreamId; line: Line }[]>();
    const created = () =>
      this.lines(PROJECT_STREAM).flatMap(({ events }) =>
        (events as ProjectEvent[]).flatMap((one) => (one.type === "tree.created" ? [one.rootId] : [])),
      );
    for (const stream of new Set<StreamId>([PROJECT_STREAM, ...created(), ...store.list().map(({ rootId }) => rootId)])) {
      const known = this.#streams.get(stream) ?? [];
      const lines = await store.read(stream, 0);
      for (const [nth, { text }] of known.entries())
        demand(
          JSON.stringify(lines[nth]) === text,
          "SI1",
          () => `${stream}: ${text.slice(0, 200)} was durable, and is now ${JSON.stringify(lines[nth])?.slice(0, 200)}`,
        );
      for (const line of lines.slice(known.length)) more.set(line.pos, [...(more.get(line.pos) ?? []), { stream, line }]);
    }
    const survivors = [...more].toSorted(([a], [b]) => a - b);
    demand(survivors.length === head - this.#pos, "SI6", () => `${survivors.length} commits are new, but ${this.#pos} became ${head}`);
    for (const [pos, lines] of survivors) {
      const attempt = this.#attempts.shift();
      demand(pos === this.#pos + 1, "SI6", () => `commit ${pos} follows ${this.#pos}`);
      demand(
        attempt && isWhole(attempt.parts, lines),
        "SI6",
        () => `commit ${pos} is not what was handed in: ${JSON.stringify(lines).slice(0, 300)}`,
      );
      this.#pos = pos;
      for (const { stream, line } of lines) this.#keep(stream, line);
    }
    this.#attempts = [];
    await this.demandBeside(store);
  }

  /** Demands that every blob named by an event exists, with its size. */
  async demandBeside(store: Store): Promise<void> {
    for (const { rootId, name, bytes } of this.#beside) {
      const blob = await store.getBlob(rootId, name);
      const isSame = blob?.length === bytes && (!name.endsWith(".png") || name.startsWith(sha256(blob).slice(0, 32)));
      demand(isSame, "SI17", () => `${name} of ${rootId} is ${blob ? `${blob.length} bytes` : "missing"}, and was ${bytes} bytes`);
    }
  }

  #keep(stream: StreamId, line: Line): void {
    const kept = this.#streams.get(stream) ?? [];
    this.#streams.set(stream, kept);
    const last = kept.at(-1)?.line;
    const next = last ? last.seq + last.events.length : 1;
    demand(line.seq === next, "SI6", () => `${stream}: ${line.seq} follows ${next - 1}`);
    demand(!last || line.pos > last.pos, "SI6", () => `${stream}: commit ${line.pos} follows ${last?.pos}`);
    const text = JSON.stringify(line);
    kept.push({ line, text });
    this.#begins.set(`${stream} ${line.seq}`, line);
    for (const mark of marksIn(text)) this.#marks.add(mark);
    if (stream !== PROJECT_STREAM) this.#keepTree(stream as RootId, line as Line<TreeEvent>);
    else
      for (const event of line.events as readonly ProjectEvent[]) {
        this.tasks.hear(event, Date.parse(line.at));
        this.approvals.hearProject(event, Date.parse(line.at));
        this.outputs.hearProject(event, line.pos);
        if ("msgId" in event && event.msgId !== undefined) this.#sign(event.by ?? "", event.msgId, `project ${line.pos}`);
      }
    this.onLine(stream, line);
  }

  #keepTree(rootId: RootId, line: Line<TreeEvent>): void {
    for (const event of line.events) {
      this.#count(rootId, event);
      this.approvals.hear(rootId, event, Date.parse(line.at));
      this.choices.hear(event);
      this.onEvent(event);
      if ("msgId" in event && event.msgId !== undefined) this.#sign(event.by ?? "", event.msgId, `${rootId} ${line.pos}`);
    }
    const before = this.trees.get(rootId) ?? emptyTree(rootId);
    this.outputs.hear(before, line);
    const tree = applyAll(before, line.events, Date.parse(line.at));
    this.trees.set(rootId, tree);
    const stuck = stuckAsk(tree);
    demand(!stuck, "SI5", () => `nobody will ever answer the ask ${stuck?.id} in ${rootId} after seq ${tree.seq}`);
  }

  #count(rootId: RootId, event: TreeEvent): void {
    switch (event.type) {
      case "message.added":
        for (const { name, bytes } of event.images ?? []) this.#beside.push({ rootId, name, bytes });
        return;
      case "step.ended":
        for (const part of event.parts) if (isCall(part)) this.#note("call", part.call, rootId);
        return;
      case "call.started":
        this.started.add(event.call);
        return;
      case "call.ran":
        this.ran.add(event.call);
        return;
      case "call.undo_asked":
        demand(this.undos.get(event.call) !== true, "SI22", () => `the call ${event.call} is undone a second time`);
        this.undos.set(event.call, undefined);
        return;
      case "call.undone":
        demand(this.undos.has(event.call), "SI22", () => `the call ${event.call} was undone, and nobody asked for it`);
        this.undos.set(event.call, event.refused === undefined);
        return;
      case "call.ended":
        demand(this.has("call", event.call), "SI2", () => `a result for the call ${event.call}, which was never made`);
        if (event.blob) this.#beside.push({ rootId, ...event.blob });
        // The late result of a given-up call is kept, and says so.
        return this.#note(event.late ? "late result" : "result", event.call, rootId);
      case "ask.opened":
        return this.#note("ask", event.ask, rootId);
      case "ask.answered":
        demand(this.has("ask", event.ask), "SI2", () => `an answer to the ask ${event.ask}, which was never made`);
        return this.#note("answer", event.ask, rootId);
      case "question.asked":
        return this.#note("question", event.question, rootId);
      case "question.closed":
        demand(this.has("question", event.question), "SI3", () => `${event.question} was closed and never asked`);
        return this.#note("closing", event.question, rootId);
      default:
        return;
    }
  }

  #note(kind: string, id: string, where: string): void {
    const before = this.#once.get(`${kind} ${id}`);
    const rule = kind === "question" || kind === "closing" ? "SI3" : "SI2";
    demand(before === undefined, rule, () => `${kind} ${id} is in the log twice: in ${before} and in ${where}`);
    this.#once.set(`${kind} ${id}`, where);
  }

  #sign(by: string, msgId: string, where: string): void {
    const before = this.#signed.get(`${by} ${msgId}`);
    // A tree's creation is in the project's stream and in its own, in one commit.
    const isSame = before === undefined || before.split(" ")[1] === where.split(" ")[1];
    demand(isSame, "SI1", () => `${by}'s ${msgId} had its effect twice: at ${before} and at ${where}`);
    this.#signed.set(`${by} ${msgId}`, where);
  }
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** A commit has exactly the submitted lines. */
function isWhole(parts: readonly StreamPart[], lines: readonly { readonly stream: StreamId; readonly line: Line }[]): boolean {
  return (
    parts.length === lines.length &&
    parts.every(({ stream, expected, events }) => {
      const found = lines.find((one) => one.stream === stream)?.line;
      return found && found.seq === expected + 1 && JSON.stringify(found.events) === JSON.stringify(events);
    })
  );
}
