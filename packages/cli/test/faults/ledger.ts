import { createHash } from "node:crypto";
import type { TreeEvent } from "@colloquy/schema";

/** An event as the API returns it. */
export interface Told {
  readonly seq: number;
  readonly event: TreeEvent;
  readonly last: boolean;
}

interface Sent {
  /** Counts the receipts: those that came after a log was read may be missing in it. */
  readonly receipt: number;
  readonly content: string;
  readonly rootId: string;
  readonly seq: number;
}

interface Tree {
  /** The messages whose sender got receipts. */
  readonly messages: string[];
  /** The log's last state: the number of events, and their hash. */
  count: number;
  hash: string;
}

interface Checking {
  readonly receipts: number;
  readonly say: (problem: string) => void;
}

const MAX_UNFINISHED = 100;

const hashOf = (events: readonly Told[]): string => {
  const hash = createHash("sha256");
  for (const { seq, event } of events) hash.update(`${seq} ${JSON.stringify(event)}\n`);
  return hash.digest("hex");
};

/** What clients were promised, and what the log must therefore contain. Problems are collected as text. */
export class Ledger {
  readonly problems: string[] = [];
  readonly #sent = new Map<string, Sent>();
  readonly #answers = new Map<string, { readonly content: string; readonly seq: number; readonly receipt: number }>();
  readonly #trees = new Map<string, Tree>();
  readonly #unfinished = new Set<string>();
  readonly #paid = new Map<string, "once" | "unknown" | "failed">();
  #receipts = 0;
  counts = { messages: 0, answers: 0, paid: 0, unknown: 0, events: 0 };

  /** A receipt for a message; a repeated one must be identical. */
  acknowledged(msgId: string, content: string, rootId: string, seq: number): void {
    const before = this.#sent.get(msgId);
    if (before && (before.rootId !== rootId || before.seq !== seq))
      this.#problem(`${msgId}: the receipt was ${before.rootId} ${before.seq}, and then ${rootId} ${seq}`);
    if (before) return;
    this.#sent.set(msgId, { content, rootId, seq, receipt: ++this.#receipts });
    const tree = this.#trees.get(rootId) ?? { messages: [], count: 0, hash: "" };
    tree.messages.push(msgId);
    this.#unfinished.add(rootId);
    this.#trees.set(rootId, tree);
    this.counts.messages++;
  }

  /** A receipt for an answer: from now on no other answer may count. */
  answered(question: string, content: string, seq: number): void {
    const before = this.#answers.get(question);
    if (before && before.content !== content)
      this.#problem(`question ${question}: both "${before.content}" and "${content}" were accepted`);
    if (before) return;
    this.#answers.set(question, { content, seq, receipt: ++this.#receipts });
    this.counts.answers++;
  }

  /** Trees with unfinished work at the last check. */
  unfinished(): string[] {
    return [...this.#unfinished];
  }

  /** Whether more work may be given: unfinished trees are checked after each fault, so there must be few. */
  get hasRoom(): boolean {
    return this.#unfinished.size < MAX_UNFINISHED;
  }

  all(): string[] {
    return [...this.#trees.keys()];
  }

  /** How many receipts there are: passed to `check` with a log that is read from now on. */
  get receipts(): number {
    return this.#receipts;
  }

  /** Compares a tree's whole log with what was promised by then. */
  check(rootId: string, events: readonly Told[], receipts = this.#receipts): void {
    const tree = this.#trees.get(rootId);
    if (!tree) return;
    const say = (problem: string) => this.#problem(`tree ${rootId}: ${problem}`);
    this.counts.events += Math.max(0, events.length - tree.count);
    for (const [nth, { seq }] of events.entries()) if (seq !== nth + 1) return say(`event ${nth + 1} has seq ${seq}`);
    if (events.length < tree.count) return say(`${tree.count} events were told, now there are ${events.length}`);
    if (hashOf(events.slice(0, tree.count)) !== tree.hash && tree.count > 0) return say("events that were told have changed");
    if (!(events.at(-1)?.last ?? true)) say("the log ends within a commit");
    tree.count = events.length;
    tree.hash = hashOf(events);
    this.#checkMessages(rootId, events, { receipts, say });
    if (this.#checkWork(events, { receipts, say })) this.#unfinished.delete(rootId);
  }

  /** Compares effects outside with the results in the logs. */
  checkEffects(paid: ReadonlyMap<string, number>, isOver: boolean): void {
    for (const [key, times] of paid) {
      if (times > 1) this.#problem(`${key} was paid ${times} times`);
      if (isOver && !this.#paid.has(key)) this.#problem(`${key} was paid, and no call says so`);
    }
    for (const [key, outcome] of this.#paid) {
      if (outcome === "once" && paid.get(key) !== 1) this.#problem(`${key} has a result, and was paid ${paid.get(key) ?? 0} times`);
      // A command that failed, was refused or was interrupted on its layer has no effect.
      if (outcome === "failed" && paid.has(key)) this.#problem(`${key} was paid, and its result says that it was not`);
    }
    const ended = (as: string) => [...this.#paid.values()].filter((outcome) => outcome === as).length;
    this.counts.paid = ended("once");
    this.counts.unknown = ended("unknown");
  }

  #checkMessages(rootId: string, events: readonly Told[], { receipts, say }: Checking): void {
    // By its unique text: a creation's `msgId` is in the project's stream.
    const found = new Map<string, number>();
    for (const { seq, event } of events) {
      if (event.type !== "message.added" || event.by === "system") continue;
      if (found.has(event.content)) say(`"${event.content}" is recorded twice`);
      found.set(event.content, seq);
    }
    for (const msgId of this.#trees.get(rootId)?.messages ?? []) {
      const sent = this.#sent.get(msgId);
      if (!sent || sent.receipt > receipts) continue;
      const seq = found.get(sent.content);
      if (seq === undefined) say(`message ${msgId} was acknowledged and is lost`);
      // A first message's receipt covers its whole commit.
      else if (sent.seq < seq) say(`message ${msgId} is at ${seq}, its receipt said ${sent.seq}`);
    }
  }

  /** Calls, asks and questions start once and end once. Returns whether nothing is open. */
  #checkWork(events: readonly Told[], { receipts, say }: Checking): boolean {
    const [calls, asks, questions, steps] = [new Map<string, string>(), new Set<string>(), new Map<string, string>(), new Set<string>()];
    const commands = new Map<string, string>();
    let turns = 0;
    for (const { event } of events) {
      switch (event.type) {
        case "message.added":
          turns += event.opens?.length ?? 0;
          break;
        case "step.ended": {
          const step = `${event.turn}.${event.step}`;
          if (steps.has(step)) say(`step ${step} ended twice`);
          steps.add(step);
          for (const part of event.parts) {
            if (!("call" in part) || part.tool !== "run_command") continue;
            commands.set(part.call, keyOfPayment(part.input));
          }
          if (event.ends && event.agent === "lead") turns--;
          break;
        }
        case "call.started":
          if (calls.has(event.call)) say(`call ${event.call} began twice`);
          calls.set(event.call, "started");
          break;
        case "call.ended": {
          if (calls.get(event.call) === "ended") say(`call ${event.call} ended twice`);
          calls.set(event.call, "ended");
          const key = commands.get(event.call);
          if (key !== undefined)
            this.#paid.set(
              key,
              event.outcome === "unknown" ? "unknown" : event.outcome === undefined && event.output.includes("booked") ? "once" : "failed",
            );
          break;
        }
        case "ask.answered":
          if (asks.has(event.ask)) say(`ask ${event.ask} was answered twice`);
          asks.add(event.ask);
          break;
        case "question.asked":
          if (questions.has(event.question)) say(`question ${event.question} was asked twice`);
          questions.set(event.question, "open");
          break;
        case "question.closed": {
          if (questions.get(event.question) !== "open") say(`question ${event.question} was closed twice, or never asked`);
          questions.set(event.question, event.as);
          const promised = this.#answers.get(event.question);
          if (promised && event.content !== promised.content)
            say(`question ${event.question} was answered "${promised.content}", the log has "${event.content}"`);
          break;
        }
        default:
          break;
      }
    }
    for (const [question, state] of questions) {
      if (state === "open" && (this.#answers.get(question)?.receipt ?? Infinity) <= receipts)
        say(`the answer to ${question} was acknowledged and is lost`);
    }
    return turns === 0 && ![...questions.values()].includes("open");
  }

  #problem(text: string): void {
    if (this.problems.length < 50 && !this.problems.includes(text)) this.problems.push(text);
  }
}

const keyOfPayment = (input: unknown): string => {
  const command = input !== null && typeof input === "object" && "command" in input ? String(input.command) : "";
  return /^echo (\w+) /.exec(command)?.[1] ?? command;
};
