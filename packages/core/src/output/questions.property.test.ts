import { type CallPart, DialogId, type Part, type ProjectEvent, TaskId, type TreeEvent } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "../commands/decide.ts";
import type { Decision } from "../state/decision.ts";
import { decideStep } from "../step/decide-step.ts";
import { applyToProject, emptyProject, type Project } from "../state/project.ts";
import { projectPart } from "../state/project-part.ts";
import { decideFirstTake } from "../tasks/decide-take.ts";
import { decideNewTask } from "../tasks/decide-task.ts";
import { AT, callId, callPart, coder, dialog, lead, rootId, rules, says, send, startedTree, stepResult } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { emptyTree, runOf, type Tree, turnAt } from "../state/tree.ts";
import { normalisedWords } from "./normalised-words.ts";

/** Where questions may appear in a text. */
const wrapped = fc.array(
  fc.constantFrom(
    (inner: unknown) => ({ result: inner }),
    (inner: unknown) => ({ a: 1, list: [2, inner] }),
    (inner: unknown) => [inner],
    (inner: unknown) => ({ deep: [[{ er: inner }]] }),
  ),
  { maxLength: 3 },
);
const shape = fc.constantFrom(
  (all: readonly string[]): unknown => all,
  (all: readonly string[]): unknown => all.map((text, nth) => ({ id: `q${nth}`, text })),
  (all: readonly string[]): unknown => (all.length === 1 ? all[0] : [all]),
  (all: readonly string[]): unknown => Object.fromEntries(all.map((text, nth) => [`q${nth}`, { question: text, options: ["A", "B"] }])),
  (all: readonly string[]): unknown => ({ topic: all }),
);
const around = fc.constantFrom(
  (json: string) => json,
  (json: string) => `I need to know.\n\`\`\`json\n${json}\n\`\`\`\nThanks.`,
  (json: string) => `So { much }: ${json} and no other open_questions: that is all.`,
);
const status = fc.constantFrom(undefined, "failed", "success");

interface Piece {
  readonly text: string;
  readonly asked: readonly string[];
  readonly status: string | undefined;
}
const piece = (from: number): fc.Arbitrary<Piece> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom("open_questions", "openQuestions", "Open_Questions"),
      shape,
      wrapped,
      around,
      status,
    )
    .map(([count, key, shaped, wraps, told, is]) => {
      const asked = Array.from({ length: count }, (_, nth) => `Question ${from + nth}?`);
      const report = { ...(is && { status: is }), ...(count > 0 && { [key]: shaped(asked) }) };
      const json = JSON.stringify(wraps.reduce<unknown>((inner, wrap) => wrap(inner), report));
      return { text: told(json), asked, status: is };
    });
const output = fc.tuple(piece(0), piece(10), piece(20)).map((pieces) => ({
  text: pieces.map(({ text }) => text).join("\n"),
  asked: pieces.flatMap(({ asked }) => asked),
  hasFailed: pieces.some((one) => one.status === "failed"),
}));

const house = (nth: number, tool: string, input: object): CallPart => callPart(nth, { tool, input, kind: "house" });
/** Other things the step may do. */
const doing = fc.subarray([
  () => callPart(101),
  () => callPart(102, { tool: "pay", kind: "effects" }),
  () => house(103, "add_reminder", { content: "x" }),
  () => house(104, "clear_mind", {}),
  () => house(105, "mark_done", {}),
  () => house(106, "create_task", { title: "More" }),
  () => house(107, "cancel_asks", {}),
  () => house(108, "askHuman", { tellaskContent: "question 0" }),
  () => house(109, "tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Do it" }),
]);

/** One dialog, perhaps a task's, and its project. */
class Desk {
  project: Project = emptyProject();
  tree: Tree = startedTree();
  readonly decided: ProjectEvent[] = [];
  #ids = 5_000;

  constructor(kind: "dialog" | "task" | "feedback") {
    if (kind === "dialog") return;
    const made = decideNewTask(this.project, { title: "Build", kind }, { id: this.newId(), by: "anna" });
    if (!made.ok) throw new Error(made.refusal.message);
    this.#record(made.events);
    const task = this.project.tasks.all.get(TaskId.parse(made.id));
    if (!task) throw new Error("no task");
    const taking = decideFirstTake({ task, agent: lead, files: [] }, rootId, texts.en);
    this.#record(taking.project);
    this.tree = applyAll(emptyTree(rootId), taking.tree, AT);
  }

  readonly newId = (): string => (++this.#ids).toString(16).padStart(32, "0");

  /** Takes the next step of the oldest turn. `seen`: the last event it was shown. */
  step(parts: readonly Part[], { seen = this.tree.seq, at = dialog, agent = lead } = {}): void {
    const turn = runOf(this.tree, at, agent)?.turns[0];
    if (!turn) return;
    const ref = { dialog: at, agent, turn: turn.id, step: turn.steps + 1 };
    const all = { ...rules(), tasks: () => this.project.tasks, sections: () => this.project.sections };
    this.take(decideStep(this.tree, ref, stepResult({ parts, seen, newId: this.newId }), all));
  }

  take(decision: Decision<TreeEvent>): void {
    if (!decision.ok) throw new Error(decision.refusal.message);
    const before = this.tree;
    this.tree = applyAll(before, decision.events, AT);
    this.#record(decision.project ?? []);
    this.#record(projectPart(this.project, { before, after: this.tree, events: decision.events, at: AT }, rules().limits));
  }

  #record(events: readonly ProjectEvent[]): void {
    this.project = events.reduce((folded, event) => applyToProject(folded, event, AT), this.project);
    this.decided.push(...events);
  }
}

const circumstances = fc.record({
  kind: fc.constantFrom("dialog", "task", "feedback"),
  isInterrupted: fc.boolean(),
  isPartial: fc.boolean(),
});

test("[OQ11][TK24] whatever else happens in a step, each question is asked once, and no failure closes a task", () => {
  fc.assert(
    fc.property(circumstances, output, doing, ({ kind, isInterrupted, isPartial }, said, calls) => {
      const desk = new Desk(kind as "dialog" | "task" | "feedback");
      if (isPartial) {
        const part = (recipient: string) => ({ recipient, prompt: "Look." });
        desk.step([house(1, "delegate", { delegations: [part("coder"), part("reviewer")] })]);
        const side = [...desk.tree.dialogs.values()].find((one) => one.agent === coder)?.id ?? DialogId.parse(callId(0));
        desk.step([says("Seen.")], { at: side, agent: coder });
      }
      const seen = desk.tree.seq;
      if (isInterrupted) desk.take(decide(desk.tree, send("And in blue."), rules()));
      desk.step([says(said.text), ...calls.map((call) => call())], { seen });
      const open = [...desk.tree.openQuestions.keys()].flatMap((id) => desk.tree.questions.get(id) ?? []);
      const words = open.filter(({ kind: is }) => is === "question").map(({ headline }) => normalisedWords(headline));
      const tools = calls.map((call) => call().tool);
      // Clearing the mind withdraws what a call of its step asks. With questions in the text it is not cleared.
      if (said.asked.length > 0 || !tools.includes("clear_mind"))
        expect(words.toSorted()).toEqual([...new Set([...said.asked, ...asksIn(tools)].map(normalisedWords))].toSorted());
      // A turn that continues waits for them.
      const turn = runOf(desk.tree, dialog, lead)?.turns[0];
      if (turn && said.asked.length > 0) expect(turn.questions.length).toBe(words.length);
      if (said.asked.length > 0) expect(desk.decided.filter(({ type }) => type === "task.created")).toHaveLength(kind === "dialog" ? 0 : 1);
      if (said.hasFailed && !(said.asked.length > 0 && kind === "feedback")) {
        for (const { id } of open) desk.take(decide(desk.tree, { type: "dismiss", question: id, by: "anna" }, rules()));
        for (let nth = 0; nth < 3; nth++) if (isFree(desk.tree)) desk.step([says("Noted.")]);
        expect(desk.decided.some(({ type }) => type === "task.closed")).toBe(false);
      }
    }),
    { numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 1_500) },
  );
});

const asksIn = (tools: readonly string[]): readonly string[] => (tools.includes("askHuman") ? ["question 0"] : []);

const isFree = (tree: Tree): boolean => {
  const turn = runOf(tree, dialog, lead)?.turns[0];
  return turn !== undefined && turnAt(tree, { dialog, agent: lead, turn: turn.id })?.calls.length === 0;
};

test("[OQ12] a text without a list or an object asks nothing and adds no note, whatever it mentions", () => {
  const word = fc.constantFrom(
    "open_questions",
    "openQuestions",
    '"open_questions"',
    "`open_questions`",
    "Open_Questions:",
    "**open_questions:**",
  );
  const prose = fc.array(
    fc.oneof(word, fc.constantFrom(":", "none", "clear.", "I", "have", "no", "{", "}", "，", "没有", "\n", "status", "failed", "(", ")")),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(prose, (parts) => {
      // Keeps values and objects from beginning there.
      const spoken = parts.join(" ").replaceAll(/(:\**)[\s"{]*/g, "$1 ");
      const text = spoken.replaceAll(/\{\s*["`*]*open_?questions/gi, "open_questions");
      const desk = new Desk("dialog");
      desk.step([says(text === "" ? "Done." : text)]);
      expect(desk.tree.questions.size).toBe(0);
      if (text.trim() !== "") expect(runOf(desk.tree, dialog, lead)?.turns ?? []).toEqual([]);
    }),
  );
});
