import { AgentId as Agent, type CallPart, mainDialogOf, type ProjectEvent, RootId, type TaskId, type TreeEvent } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyAll } from "../state/apply.ts";
import { decide } from "../commands/decide.ts";
import type { Decision } from "../state/decision.ts";
import { decideStep } from "../step/decide-step.ts";
import { applyToProject, emptyProject, type Project } from "../state/project.ts";
import { projectPart } from "../state/project-part.ts";
import { callId, rules, says, stepResult } from "../testing.ts";
import { texts } from "../texts/texts.ts";
import { emptyTree, mainDialog, runOf, type Tree } from "../state/tree.ts";
import { decideFirstTake, decideNextTake } from "./decide-take.ts";
import { decideNewTask, decideTaskChange } from "./decide-task.ts";
import { decideTaskClosing } from "./decide-close.ts";
import { applyToTasks, noTasks, readyTasks, statusOf, type Task, type Tasks, tasksAtWork } from "./task.ts";
import { projectFrom, projectSnapshot } from "../state/snapshot.ts";

const coder = Agent.parse("coder");
const reviewer = Agent.parse("reviewer");
const KINDS = ["task", "feedback", "plan", "prd"] as const;

/** A project with its trees. Every decision is committed to both at once, as in the runtime. */
class Sprint {
  project: Project = emptyProject();
  readonly trees = new Map<string, Tree>();
  readonly made: TaskId[] = [];
  #ids = 1_000;
  #at = 1_000;

  readonly questionsOf = (dialog: RootId) => [...(this.trees.get(dialog)?.openQuestions.keys() ?? [])].map((id) => ({ id: id as never }));

  move(kind: number, pick: number, what: number): void {
    this.#at += 1;
    const moves = [
      () => this.#create(pick, what),
      () => this.#depend(pick, what),
      () => this.#take(pick),
      () => this.#take(pick),
      () => this.#step(pick, what),
      () => this.#step(pick, what),
      () => this.#step(pick, what),
      () => this.#close(pick, what),
      () => this.#close(pick, what),
      () => this.#person(pick, what),
      () => this.#closeTask(pick, what),
    ];
    moves[kind % moves.length]?.();
    this.check();
  }

  /** Everybody answers and works until nothing is left to do. */
  finish(): void {
    for (let round = 0; round < 400 && this.project.tasks.open.size > 0; round++) {
      this.#at += 1;
      for (const tree of this.trees.values()) if (mainDialog(tree)?.stopped) this.#tell(tree, { type: "resume" });
      for (const tree of this.trees.values()) for (const question of tree.openQuestions.keys()) this.#answer(tree, question, "answer");
      this.#take(0);
      for (let nth = 0; nth < this.trees.size; nth++) this.#step(nth, 0);
      this.check();
    }
    expect(this.project.tasks.open.size).toBe(0);
    expect(this.project.tasks.all.size).toBe(this.made.length);
  }

  check(): void {
    const { tasks } = this.project;
    expect(placesIn(tasks)).toEqual(placesAnew(tasks));
    expect(placesIn(projectFrom(projectSnapshot(this.project, 1)).tasks)).toEqual(placesIn(tasks));
    expect([...tasks.all.keys()].toSorted()).toEqual([...this.made].toSorted());
    const ready = new Set(readyTasks(tasks, this.questionsOf).map((task) => task.id));
    this.#checkSections();
    for (const task of tasks.all.values()) {
      const tree = task.dialog === undefined ? undefined : this.trees.get(task.dialog);
      const isAsking = (tree?.openQuestions.size ?? 0) > 0;
      const status = statusOf(task, this.questionsOf);
      expect(tasks.open.has(task.id)).toBe(task.closed === undefined);
      if (task.closed) continue;
      expect(status === "blocked").toBe(isAsking);
      const isFree = task.assignee === undefined && !isAsking && task.dependsOn.every((id) => tasks.all.get(id)?.closed !== undefined);
      expect(ready.has(task.id)).toBe(isFree);
      // Its agent is working on it, or has finished and only waits for an answer.
      const isWorking = tree?.task?.turn !== undefined || (tree?.task?.report?.status === "success" && isAsking);
      expect(task.assignee !== undefined).toBe(isWorking);
    }
  }

  /** The project's record of a section matches what its dialogs ask. */
  #checkSections(): void {
    const asked = [...this.trees.values()]
      .flatMap((tree) => [...tree.openQuestions.keys()].flatMap((id) => tree.questions.get(id) ?? []))
      .filter(({ source, kind }) => source === "prd" && (kind === "question" || kind === "confirmation"));
    const known = [...this.project.sections.entries()].flatMap(([section, { open }]) => open.map((id) => `${section} ${id}`));
    expect(known.toSorted()).toEqual(asked.map(({ sourceId, id }) => `${sourceId} ${id}`).toSorted());
  }

  #create(pick: number, what: number): void {
    if (this.made.length >= 6) return;
    const dependsOn = this.made.filter((_, nth) => nth % 3 === pick % 3).slice(0, 2);
    const decision = decideNewTask(
      this.project,
      { title: `task ${what}`, kind: KINDS[what % 4] ?? "task", key: `section-${what % 2}`, dependsOn },
      { id: this.#newId(), by: "anna" },
    );
    if (!decision.ok) throw new Error(decision.refusal.message);
    this.#record(decision.events);
  }

  #depend(pick: number, what: number): void {
    const [id, other] = [this.made[pick % this.made.length], this.made[what % this.made.length]];
    if (!id || !other) return;
    const decision = decideTaskChange(this.project, id, { dependsOn: [other] }, { by: "anna" });
    if (decision.ok) this.#record(decision.events);
  }

  #take(pick: number): void {
    const ready = readyTasks(this.project.tasks, this.questionsOf);
    const task = ready[pick % Math.max(1, ready.length)];
    if (!task) return;
    const known = task.dialog && this.trees.get(task.dialog);
    const rootId = known?.rootId ?? RootId.parse(this.#newId());
    const before = known ?? emptyTree(rootId);
    if (mainDialog(before)?.status === "archived") return;
    const taking = known
      ? decideNextTake({ task, agent: pick % 5 === 4 ? reviewer : (mainDialog(known)?.agent ?? coder), files: [] }, known, texts.en)
      : decideFirstTake({ task, agent: coder, files: [] }, rootId, texts.en);
    this.#commit(before, taking.tree, taking.project);
  }

  #step(pick: number, what: number): void {
    const tree = [...this.trees.values()][pick % Math.max(1, this.trees.size)];
    const main = tree && mainDialog(tree);
    const turn =
      tree && main
        ? runOf(tree, main.id, main.agent)?.turns.find((one) => one.calls.length === 0 && one.questions.length === 0)
        : undefined;
    if (!tree || !main || !turn || main.stopped || turn.newestSeq <= turn.seen) return;
    const said = [
      () => [says('{"status":"success","summary":"ok"}')],
      () => [says('{"status":"failed","summary":"no"}')],
      () => [says(`{"status":"failed","open_questions":["which ${what % 4}?"]}`)],
      () => [says('{"status":"success","open_questions":["good?", "fast?"]}')],
      () => [says('{"open_questions":[{"text":"sure?","kind":"confirmation"}]}')],
      () => [says('{"open_questions": [{"te')],
      () => [says("done, I think")],
      () => [],
      () => [this.#call("askHuman", { tellaskContent: "which?" })],
      () => [says("bye"), this.#call("mark_done", {})],
      () => [says('{"open_questions":["bye?"]}'), this.#call("mark_done", {})],
      () => this.#house("create_task", { title: "more", dependsOn: this.made.slice(0, 1) }),
      () =>
        this.#house("create_plan", {
          tasks: [
            { key: "a", title: "a" },
            { key: "b", title: "b", dependsOn: ["a"] },
          ],
        }),
      () => this.#house("update_task", { task: this.made[what % this.made.length] ?? "none", close: "not needed" }),
      () => [says('{"open_questions":["for whom?"]}'), ...this.#house("create_task", { title: "guess" })],
    ];
    const parts = (said[what % said.length] ?? said[0])?.() ?? [];
    const ref = { dialog: main.id, agent: main.agent, turn: turn.id, step: turn.steps + 1 };
    const result = stepResult({ parts, seen: tree.seq, newId: () => this.#newId() });
    this.#decided(
      tree,
      decideStep(tree, ref, result, { ...rules({}, this.#at), tasks: () => this.project.tasks, sections: () => this.project.sections }),
    );
  }

  #call(tool: string, input: unknown): CallPart {
    return { call: callId(++this.#ids), tool, input, kind: "house" };
  }

  /** Only while there are few tasks. */
  #house(tool: string, input: unknown): readonly CallPart[] {
    return this.made.length >= 12 && tool !== "update_task" ? [] : [this.#call(tool, input)];
  }

  #close(pick: number, what: number): void {
    const all = [...this.trees.values()].flatMap((tree) => [...tree.openQuestions.keys()].map((id) => [tree, id] as const));
    const [tree, question] = all[pick % Math.max(1, all.length)] ?? [];
    if (tree && question) this.#answer(tree, question, what % 3 === 0 ? "dismiss" : "answer", what);
  }

  #answer(tree: Tree, id: string, type: "answer" | "dismiss", what = 0): void {
    const now = this.trees.get(tree.rootId) ?? tree;
    const question = now.questions.get(id);
    if (question?.status !== "open") return;
    const how = question.options.length > 0 ? { choice: [what % question.options.length] } : { content: "so be it" };
    const command = type === "dismiss" ? ({ type } as const) : ({ type, ...how } as const);
    this.#decided(now, decide(now, { ...command, question: question.id, by: "anna" }, rules({}, this.#at)));
  }

  /** People write, clear minds, stop, resume and close. */
  #person(pick: number, what: number): void {
    const tree = [...this.trees.values()][pick % Math.max(1, this.trees.size)];
    const main = tree && mainDialog(tree);
    if (!tree || !main) return;
    const commands = [
      { type: "send", content: "hello" },
      { type: "clear_mind" },
      { type: "done" },
      { type: "send", content: "and?" },
      { type: "stop" },
      { type: "resume" },
    ] as const;
    this.#tell(tree, commands[what % commands.length] ?? commands[0]);
  }

  #tell(
    tree: Tree,
    command: { readonly type: "clear_mind" | "done" | "stop" | "resume" } | { readonly type: "send"; content: string },
  ): void {
    const said = { ...command, dialog: mainDialogOf(tree.rootId), by: "anna" };
    this.#decided(tree, decide(tree, said, rules({}, this.#at)));
  }

  /** A person closes a task, and its dialog with it if that is still open. */
  #closeTask(pick: number, what: number): void {
    const id = this.made[pick % Math.max(1, this.made.length)];
    if (id === undefined || what % 4 > 0) return;
    const tree = this.trees.get(this.project.tasks.all.get(id)?.dialog ?? "");
    if (tree && mainDialog(tree)?.status === "running") {
      this.#decided(
        tree,
        decideTaskClosing(tree, this.project, { task: id, change: { close: "enough" }, signed: { by: "anna" } }, rules({}, this.#at)),
      );
    } else {
      const decision = decideTaskChange(this.project, id, { close: "enough" }, { by: "anna" });
      if (decision.ok) this.#record(decision.events);
    }
  }

  #decided(tree: Tree, decision: Decision<TreeEvent>): void {
    if (decision.ok && decision.events.length > 0) this.#commit(tree, decision.events, decision.project ?? []);
  }

  #commit(before: Tree, events: readonly TreeEvent[], project: readonly ProjectEvent[]): void {
    const after = applyAll(before, events, this.#at);
    this.#record(project);
    this.#record(projectPart(this.project, { before, after, events, at: this.#at }, rules().limits));
    this.trees.set(after.rootId, after);
  }

  #record(events: readonly ProjectEvent[]): void {
    this.project = events.reduce((folded, event) => applyToProject(folded, event, this.#at), this.project);
    for (const event of events) if (event.type === "task.created") this.made.push(event.task);
  }

  #newId(): string {
    return (++this.#ids).toString(16).padStart(32, "0");
  }
}

/** The indexes: dependents, taken tasks, tasks that can begin. */
const placesIn = ({ open, taken, free, dependents }: Tasks) => ({
  open: [...open.keys()].toSorted(),
  taken: [...taken.keys()].toSorted(),
  free: [...free.keys()].toSorted(),
  dependents: [...dependents.entries()].map(([id, ids]) => `${id} ${[...ids].toSorted().join(" ")}`).toSorted(),
});

/** The same, computed from all tasks. */
function placesAnew({ all }: Tasks): ReturnType<typeof placesIn> {
  const open = [...all.values()].filter((task) => !task.closed);
  const waitsFor = (task: Task) => task.dependsOn.filter((id) => !all.get(id)?.closed);
  const idsOf = (tasks: readonly Task[]) => tasks.map(({ id }) => id).toSorted();
  return {
    open: idsOf(open),
    taken: idsOf(open.filter((task) => task.assignee !== undefined)),
    free: idsOf(open.filter((task) => task.assignee === undefined && waitsFor(task).length === 0)),
    dependents: open
      .map((task) => [task.id, idsOf(open.filter((other) => waitsFor(other).includes(task.id)))] as const)
      .filter(([, ids]) => ids.length > 0)
      .map(([id, ids]) => `${id} ${ids.join(" ")}`)
      .toSorted(),
  };
}

test("[TK22] finding tasks that can begin costs only as much as there are such tasks", () => {
  const id = (nth: number) => nth.toString(16).padStart(32, "0") as TaskId;
  let tasks = noTasks();
  // A long chain whose first half is done.
  for (let nth = 1; nth <= 2_000; nth++) {
    const dependsOn = nth === 1 ? [] : [id(nth - 1)];
    tasks = applyToTasks(
      tasks,
      { type: "task.created", task: id(nth), kind: "task", title: "t", description: "", dependsOn, by: "a" },
      nth,
    );
  }
  for (let nth = 1; nth <= 1_000; nth++) tasks = applyToTasks(tasks, { type: "task.closed", task: id(nth), summary: "" }, nth);
  const looked: string[] = [];
  const counting = { ...tasks, all: { get: (one: string) => (looked.push(one), tasks.all.get(one)) } } as unknown as Tasks;
  expect(readyTasks(counting, () => []).map((task) => task.id)).toEqual([id(1_001)]);
  expect(tasksAtWork(counting, () => [])).toEqual([]);
  expect(looked).toEqual([id(1_001)]);
});

test("[TK14] whatever agents and people do, a task is blocked if and only if a question is open, and none is lost", () => {
  const move = fc.tuple(fc.nat(10), fc.nat(20), fc.nat(20));
  fc.assert(
    fc.property(fc.array(move, { minLength: 10, maxLength: 60 }), (moves) => {
      const sprint = new Sprint();
      for (const [kind, pick, what] of moves) sprint.move(kind, pick, what);
      sprint.finish();
    }),
    { numRuns: Number(process.env["COLLOQUY_RUNS"] ?? 600) },
  );
});
