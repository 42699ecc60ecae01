// Ways to break Colloquy on purpose. Each is a line that carries a promise; the tests beside it must notice that it is gone.

/** @typedef {{ readonly name: string, readonly file: string, readonly from: string, readonly to: string, readonly tests: readonly string[] }} Mutation */

const asks = ["packages/testkit/test/asks.scenario.test.ts", "packages/core/src/next-step.test.ts"];
const questions = ["packages/testkit/test/questions.scenario.test.ts"];
const crash = ["packages/testkit/test/crash.test.ts", "packages/testkit/test/asks.crash.test.ts"];
const commands = ["packages/testkit/test/commands.scenario.test.ts", "packages/core/src/decide.test.ts"];
const limits = ["packages/testkit/test/limits.scenario.test.ts"];
const minds = ["packages/testkit/test/minds.scenario.test.ts"];
const store = ["packages/store-file/test"];
const simulation = ["packages/simulation/test/simulation.test.ts"];
const reach = ["packages/runtime/src/tools/reach.test.ts", "packages/runtime/test/shell.scenario.test.ts"];

/** @type {readonly Mutation[]} */
export const mutations = [
  {
    name: "a turn thinks although its asks are open",
    file: "packages/core/src/next-step.ts",
    from: "turn.asks.length === 0 && turn.questions.length === 0) return true",
    to: "turn.questions.length === 0) return true",
    tests: asks,
  },
  {
    name: "a turn thinks although its question is open",
    file: "packages/core/src/next-step.ts",
    from: "turn.asks.length === 0 && turn.questions.length === 0) return true",
    to: "turn.asks.length === 0) return true",
    tests: questions,
  },
  {
    name: "a stopped dialog goes on",
    file: "packages/core/src/next-step.ts",
    from: 'if (dialog.status !== "running" || dialog.stopped || dialog.isDead)',
    to: 'if (dialog.status !== "running" || dialog.isDead)',
    tests: [...asks, ...commands],
  },
  {
    name: "a limit of the tree closes no gate",
    file: "packages/core/src/next-step.ts",
    from: "tree.limitQuestions.length === 0 && ",
    to: "",
    tests: [...questions, "packages/core/src/decide-step.test.ts"],
  },
  {
    name: "calls with effects do not wait for one another",
    file: "packages/core/src/next-step.ts",
    from: 'call.kind === "reads" || call === firstWithEffect',
    to: "firstWithEffect !== undefined || true",
    tests: ["packages/testkit/test/one-dialog.scenario.test.ts", ...questions],
  },
  {
    name: "what is repeated has its effect twice",
    file: "packages/core/src/decide.ts",
    from: "if (receipt) return repeated(command, receipt);",
    to: "void [receipt, repeated];",
    tests: [...commands, ...questions],
  },
  {
    name: "a session does not take its next assignment",
    file: "packages/core/src/draft.ts",
    from: "if (!dialog || next === undefined",
    to: "if (!dialog || next !== undefined || next === undefined",
    tests: asks,
  },
  {
    name: "circles are not found",
    file: "packages/core/src/circle.ts",
    from: "return fromSession(session, [asker.agent]);",
    to: "return fromSession(session, [asker.agent]) && undefined;",
    tests: asks,
  },
  {
    name: "a step that is over is recorded again",
    file: "packages/core/src/decide-step.ts",
    from: "ref.step !== turn.steps + 1 || ",
    to: "",
    tests: ["packages/core/src/decide-step.test.ts"],
  },
  {
    name: "a question is answered twice",
    file: "packages/core/src/decide-question.ts",
    from: 'if (question.status !== "open") return refuse("question_not_open"',
    to: 'if (question.status === "expired") return refuse("question_not_open"',
    tests: questions,
  },
  {
    name: "what a person saw need not be what is asked",
    file: "packages/core/src/decide-question.ts",
    from: "command.shown !== shownVersion(question)",
    to: "command.shown === undefined",
    tests: questions,
  },
  {
    name: "a stop that nobody chose is no question",
    file: "packages/core/src/halt.ts",
    from: 'kind: "fault",',
    to: 'kind: "question",',
    tests: asks,
  },
  {
    name: "resuming does not undo the cascade",
    file: "packages/core/src/resume.ts",
    from: "below.stopped?.cause === seq",
    to: "below.stopped?.cause === -1",
    tests: asks,
  },
  {
    name: "a result is not frozen once it was sent",
    file: "packages/core/src/view/shown-calls.ts",
    from: "      call.answers = [];\n      call.isFrozen = true;\n",
    to: "      call.answers = [];\n",
    tests: ["packages/core/src/view.test.ts", ...asks],
  },
  {
    name: "a day without end of its money",
    file: "packages/core/src/day.ts",
    from: "day.cost < limit + day.raised",
    to: "day.cost < Number.MAX_VALUE",
    tests: limits,
  },
  {
    name: "what concerns the project is not in the same commit",
    file: "packages/runtime/src/commit.ts",
    from: "...(forAll.length > 0 ? [project.part(forAll)] : [])",
    to: "...(forAll.length > 1e9 ? [project.part(forAll)] : [])",
    tests: [...questions, ...limits],
  },
  {
    name: "somebody is told before it is durable",
    file: "packages/runtime/src/commit.ts",
    from: "    await committed;\n    onCommitted(",
    to: "    void committed.catch(() => undefined);\n    onCommitted(",
    tests: [...crash, ...asks],
  },
  {
    name: "nobody is woken by a commit",
    file: "packages/runtime/src/engine.ts",
    from: "if (tree.state.ready.has(key)) this.wake(ref);",
    to: "if (!tree.state.ready.has(key)) this.wake(ref);",
    tests: asks,
  },
  {
    name: "an effect begins before that is recorded",
    file: "packages/runtime/src/act.ts",
    from: "if (!call.repeatable && !call.started) {",
    to: "if (call.repeatable && !call.started) {",
    tests: crash,
  },
  {
    name: "an effect that was cut short is run again",
    file: "packages/runtime/src/act.ts",
    from: "if (call.started && !begun) return end(",
    to: "if (call.started && !begun && !part) return end(",
    tests: crash,
  },
  {
    name: "a call that needs approval by now is run",
    file: "packages/runtime/src/act.ts",
    from: "if (problem !== undefined && !call.started && !begun) {",
    to: 'if (problem === "" && !call.started && !begun) {',
    tests: ["packages/testkit/test/autonomy.scenario.test.ts"],
  },
  {
    name: "deadlines do not ring",
    file: "packages/runtime/src/deadlines.ts",
    from: "      this.#onDue(next.rootId);\n",
    to: "",
    tests: [...asks, ...questions],
  },
  {
    name: "a grant for one command lets another one pass",
    file: "packages/core/src/classify/pattern.ts",
    from: 'main.kind === "command" ? WORDS : ANYTHING',
    to: 'main.kind === "command" ? ANYTHING : ANYTHING',
    tests: reach,
  },
  {
    name: "a document is changed that somebody else has changed",
    file: "packages/core/src/decide-document.ts",
    from: "shown !== change.from || ",
    to: "",
    tests: minds,
  },
  {
    name: "damage in the middle of the journal passes for a torn end",
    file: "packages/store-file/src/slot-scan.ts",
    from: "if (vouched > chainEnd) {",
    to: "if (vouched < 0) {",
    tests: store,
  },
  {
    name: "a record is believed without its checksum",
    file: "packages/store-file/src/record.ts",
    from: "if (crc32(buffer.subarray(at + 4, end)) !== checksum) return undefined;",
    to: "",
    tests: store,
  },
  {
    name: "a failed sync is written over",
    file: "packages/store-file/src/journal.ts",
    from: "        return this.#notWritten(slot, batch, error);",
    to: "        void error;",
    tests: store,
  },
  {
    name: "a generation that ends after a stop is recorded",
    file: "packages/core/src/decide-step.ts",
    from: 'if (dialog.stopped) return refuse("stopped", dialog.stopped.reason.message);',
    to: "",
    tests: ["packages/core/src/decide-step.test.ts"],
  },
  {
    name: "hidden folders are not hidden",
    file: "packages/runtime/src/tools/hidden.ts",
    from: "export function isHidden(inside: string): boolean {",
    to: "export function isHidden(inside: string): boolean {\n  if (inside !== undefined) return false;",
    tests: reach,
  },
  {
    name: "a model is shown what is only just handed in",
    file: "packages/runtime/src/think.ts",
    from: "  do await tree.settled;\n  while (!tree.isDurable);",
    to: "  await tree.settled;",
    tests: simulation,
  },
  {
    name: "files for people are called written before they are durable",
    file: "packages/store-file/src/upkeep.ts",
    from: "behind.takeDirt(), projected)",
    to: "behind.takeDirt(), [])",
    tests: simulation,
  },
];
