// Ways to break Colloquy on purpose. Each is a line that carries a promise; the tests beside it must notice that it is gone.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./set-up.mjs";

/** @typedef {{ readonly name: string, readonly file: string, readonly from: string, readonly to: string, readonly tests: readonly string[] }} Mutation */

const asks = ["packages/testkit/test/asks.scenario.test.ts", "packages/core/src/next-step.test.ts"];
const questions = ["packages/testkit/test/questions.scenario.test.ts"];
const crash = ["packages/testkit/test/crash.test.ts", "packages/testkit/test/asks.crash.test.ts"];
const commands = ["packages/testkit/test/commands.scenario.test.ts", "packages/core/src/decide.test.ts"];
const limits = ["packages/testkit/test/limits.scenario.test.ts"];
const minds = ["packages/testkit/test/minds.scenario.test.ts"];
const store = ["slot-scan", "damage", "trouble", "crash"].map((name) => `packages/store-file/test/${name}.test.ts`);
const simulation = ["packages/simulation/test/simulation.test.ts"];
const tasks = ["packages/testkit/test/tasks.scenario.test.ts"];
const documents = ["packages/runtime/src/documents.test.ts"];
const trouble = ["packages/store-file/test/trouble.test.ts"];
const client = ["packages/client/test/client.test.ts"];
const callingOff = ["packages/testkit/test/calling-off.scenario.test.ts"];
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
    name: "a choice is read in the language of the moment",
    file: "packages/core/src/decide-question.ts",
    from: 'const isClosed = first?.code === "closeTask";',
    to: "const isClosed = first?.label === rules.texts.closeTaskChoice;",
    tests: ["packages/core/src/choice-code.test.ts", ...tasks],
  },
  {
    name: "what is answered in the commit that asks it notifies people",
    file: "packages/core/src/notification.ts",
    from: "return asked.filter(({ question }) => !closed.has(question));",
    to: "return closed.size < 0 ? [] : asked;",
    tests: ["packages/server/test/notifications.test.ts"],
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
    from: "    await committed;\n    desk.onCommitted(",
    to: "    void committed.catch(() => undefined);\n    desk.onCommitted(",
    tests: [...crash, ...asks],
  },
  {
    name: "nobody is woken by a commit",
    file: "packages/runtime/src/engine.ts",
    from: "if (after.ready.has(runKey(ref.dialog, ref.agent))) this.wake(ref);",
    to: "if (!after.ready.has(runKey(ref.dialog, ref.agent))) this.wake(ref);",
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
    tests: ["packages/testkit/test/engine.scenario.test.ts"],
  },
  {
    name: "files for people are called written before they are durable",
    file: "packages/store-file/src/upkeep.ts",
    from: "behind.takeDirt(), projected)",
    to: "behind.takeDirt(), [])",
    tests: simulation,
  },
  {
    name: "an answer does not bring a task back",
    file: "packages/runtime/src/orchestrator.ts",
    from: '  "question.closed",\n',
    to: "",
    tests: tasks,
  },
  {
    name: "a task begins before what it depends on",
    file: "packages/core/src/task/task.ts",
    from: "one.dependsOn.every((id) => !open.has(id))",
    to: "one.dependsOn.every(() => true)",
    tests: tasks,
  },
  {
    name: "a task that fails is tried for ever",
    file: "packages/core/src/task/task-run.ts",
    from: "export const FAILURES = 3;",
    to: "export const FAILURES = 3_000;",
    tests: tasks,
  },
  {
    name: "the orchestrator sleeps through what is committed",
    file: "packages/runtime/src/orchestrator.ts",
    from: 'return line.events.some(({ type }) => type.startsWith("task."));',
    to: "return false;",
    tests: tasks,
  },
  {
    name: "two change one document at once",
    file: "packages/runtime/src/one-at-a-time.ts",
    from: "    await before;\n",
    to: "    void before;\n",
    tests: minds,
  },
  {
    name: "what somebody writes by hand meanwhile is written over",
    file: "packages/runtime/src/documents.ts",
    from: "stays.\n      if (versionOf(path) === from) {",
    to: "stays.\n      if (from !== to) {",
    tests: documents,
  },
  {
    name: "a document is called written before its name is safe",
    file: "packages/runtime/src/documents.ts",
    from: "if (disk.stat(folder)) await disk.syncFolder(folder);",
    to: "void folder;",
    tests: documents,
  },
  {
    name: "an index over which a sync failed is believed",
    file: "packages/store-file/src/index-file.ts",
    from: "    writeAll(this.#disk, fd, append, this.#lastAt);\n",
    to: "",
    tests: trouble,
  },
  {
    name: "an opening that fails forgets the crash before it",
    file: "packages/store-file/src/open-file-store.ts",
    from: "if (lock.tookOver) lock.abandon();\n    else lock.release();",
    to: "lock.release();",
    tests: trouble,
  },
  {
    name: "files for people are forgotten where there was no room",
    file: "packages/store-file/src/file-store.ts",
    from: "return this.#catalog.due();",
    to: "return this.crashed ? this.#catalog.due() : [];",
    tests: trouble,
  },
  {
    name: "a line of another commit than the next is taken into a course file",
    file: "packages/store-file/src/course.ts",
    from: "if (next !== undefined && line.seq !== next) throw this.#bad(n);",
    to: "",
    tests: ["packages/store-file/test/damage.test.ts"],
  },
  {
    name: "the same msgId makes two trees and two tasks",
    file: "packages/core/src/project-receipt.ts",
    from: "if (!before) return undefined;",
    to: "if (before || !before) return undefined;",
    tests: [...tasks, ...commands],
  },
  {
    name: "the milder of two rules wins",
    file: "packages/core/src/classify/verdict.ts",
    from: "STRICTER.findLast(",
    to: "STRICTER.find(",
    tests: ["packages/testkit/test/autonomy.scenario.test.ts", "packages/core/src/classify/classify.test.ts"],
  },
  {
    name: "a grant outlives its time",
    file: "packages/runtime/src/grants.ts",
    from: "(grant.until === undefined || grant.until > nowMs)",
    to: "(grant.until === undefined || grant.until > 0)",
    tests: [...questions, "packages/testkit/test/autonomy.scenario.test.ts"],
  },
  {
    name: "a grant of one dialog holds in all of them",
    file: "packages/runtime/src/grants.ts",
    from: "(grant.dialog === undefined || grant.dialog === dialog)",
    to: "(grant.dialog === undefined || grant.dialog !== undefined)",
    tests: [...questions, "packages/testkit/test/autonomy.scenario.test.ts"],
  },
  {
    name: "a person's message does not end a pause",
    file: "packages/runtime/src/pauses.ts",
    from: "AbortSignal.any([flight.pause.signal, flight.abort.signal])",
    to: "flight.abort.signal",
    tests: ["packages/testkit/test/faults.scenario.test.ts"],
  },
  {
    name: "a deadline sleeps on when the clock has jumped",
    file: "packages/runtime/src/deadlines.ts",
    from: "Math.min(Math.max(0, next.at - this.#clock.now()), LOOK_AGAIN_MS)",
    to: "Math.max(0, next.at - this.#clock.now())",
    tests: ["packages/runtime/src/deadlines.test.ts"],
  },
  {
    name: "who was away is told nothing",
    file: "packages/core/src/view.ts",
    from: "this.#append(system(awayBlock(lines, summary)));",
    to: "void [awayBlock, lines, summary];",
    tests: ["packages/testkit/test/conversations.scenario.test.ts"],
  },
  {
    name: "a client that comes back does not ask for what was cut in the middle",
    file: "packages/client/src/project-channel.ts",
    from: "heard ? cursor - 1 : cursor",
    to: "heard ? cursor : cursor",
    tests: client,
  },
  {
    name: "a client takes half a commit for a whole one",
    file: "packages/client/src/tree-channel.ts",
    from: "    if (!one.last) return;\n",
    to: "",
    tests: client,
  },
  {
    name: "a client does not notice that something is missing",
    file: "packages/client/src/tree-channel.ts",
    from: "if (one.seq > next) return this.#again(); // something is missing",
    to: "",
    tests: client,
  },
  {
    name: "a stream does not go on where it was cut",
    file: "packages/server/src/event-stream.ts",
    from: "const from = lastEventId(request) ?? after ?? seq;",
    to: "const from = after ?? seq;",
    tests: ["packages/server/test/limits.test.ts"],
  },
  {
    name: "a call of the house is approved with an input that is none of its own",
    file: "packages/core/src/decide-question.ts",
    from: 'if (unfit !== undefined) return refuse("bad_request", unfit);',
    to: "",
    tests: ["packages/testkit/test/autonomy.scenario.test.ts"],
  },
  {
    name: "a call is approved with an input that its tool does not take",
    file: "packages/runtime/src/engine.ts",
    from: " ?? (await refuseUnfit(this, rootId, command))",
    to: "",
    tests: questions,
  },
  {
    name: "a blob is called kept before its folder is safe",
    file: "packages/store-file/src/blobs.ts",
    from: "for (const above of [1, 2, 3]) await this.#disk.syncFolder(ancestor(folder, above));",
    to: "",
    tests: store,
  },
  {
    name: "a store is closed while commits are under way, because one was refused",
    file: "packages/store-file/src/commits.ts",
    from: "if (isUnderWay) this.#last = commit",
    to: "this.#last = commit",
    tests: ["packages/store-file/test/file-store.test.ts"],
  },
  {
    name: "a project is let go while lines are on their way into course files",
    file: "packages/store-file/src/file-store.ts",
    from: "await behind.settled();",
    to: "",
    tests: ["packages/store-file/test/closing.test.ts"],
  },
  {
    name: "somebody is told of a commit while another is handed in",
    file: "packages/store-file/src/journal.ts",
    from: "if (!isAside && batch.length === 1",
    to: "if (batch.length === 1",
    tests: trouble,
  },
  {
    name: "a document that was read in the moment of its change is not read again",
    file: "packages/runtime/src/documents.ts",
    from: "if (disk.nowMs() - stat.mtimeMs > RESTED_MS) known.set",
    to: "if (stat.mtimeMs > 0) known.set",
    tests: documents,
  },
  {
    name: "files that wait for their turn are forgotten when the tree changes",
    file: "packages/runtime/src/projector.ts",
    from: "if (known) this.#behind.set(rootId, { tree, written: known.written });",
    to: "",
    tests: ["packages/runtime/src/projector.test.ts"],
  },
  {
    name: "cancel_asks leaves approvals open",
    file: "packages/core/src/house/cancel-asks.ts",
    from: ' || kind === "approval"',
    to: "",
    tests: callingOff,
  },
  {
    name: "end_session ends what others wait for",
    file: "packages/core/src/house/end-session.ts",
    from: "  if (waiting.length > 0) return texts.othersWait(waiting);\n",
    to: "",
    tests: callingOff,
  },
  {
    name: "giving up a fault in a thread ends all turns of the agent",
    file: "packages/core/src/give-up.ts",
    from: "  if (turn !== undefined) return giveUpTurn(draft, { dialog, agent, turn }, why);\n",
    to: "",
    tests: callingOff,
  },
];

/** Mutations whose line is not there any more, or twice: the code has moved on, and the list must follow it. */
export function astray() {
  return mutations
    .filter(({ file, from }) => readFileSync(join(root, file), "utf8").split(from).length !== 2)
    .map(({ name, file, from }) => `"${name}" (scripts/mutations.mjs): ${file} does not hold this exactly once: ${from}`);
}
