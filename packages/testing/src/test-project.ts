import {
  type DefinedAgent,
  type NewTask,
  openProject,
  type Project,
  type QuestionView,
  Refused,
  type ResultOf,
  type TaskView,
} from "@colloquy/library";
import { type Model, type ModelRequest, scriptedModel } from "@colloquy/models";
import { memoryDocuments, type Staging } from "@colloquy/runtime";
import { Script, timeOrderedId } from "@colloquy/schema";
import { memoryBacking, memoryStore } from "@colloquy/store";
import { type CrashingStore, crashingStore, type CrashPoint } from "./crashing-store.ts";
import { durationMs } from "./duration.ts";
import { TestClock } from "./test-clock.ts";
import { TestDialog } from "./test-dialog.ts";
import { type Telling, toldModel } from "./told-model.ts";

export interface TestOptions {
  readonly agents: readonly DefinedAgent[];
  /** What the model does: for each agent its steps in order or a function of what it is shown; or rules, as in a script's file. */
  readonly script: Telling | Script;
  /** A folder whose `colloquy.yaml` holds: limits, language, autonomy. Nothing is written there. */
  readonly dir?: string | undefined;
  /** Documents that are there at the start: Taskdocs and memory, by path. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly contextWindow?: number | undefined;
  /** The layers on which commands run. They outlive a crash. */
  readonly staging?: Staging | undefined;
}

/** Which question is meant, where more than one is open. */
interface Which {
  readonly question?: string | undefined;
  readonly by?: string | undefined;
}

interface Life {
  readonly project: Project;
  readonly store: CrashingStore;
}

/**
 * A project in memory with a scripted model and a clock of its own. It can die and come back: what was on its way is lost, as
 * with `kill -9`, the log stays, and whoever had asked for something asks again under the same `msgId`.
 */
export class TestProject {
  readonly clock = new TestClock();
  /** What the model was asked, in order, over all lives. */
  readonly requests: ModelRequest[] = [];
  /** What would have been said to a person on standard error. */
  readonly reports: string[] = [];
  readonly #options: TestOptions;
  readonly #model: Model;
  readonly #disk = memoryBacking();
  readonly #files: Map<string, string>;
  #life: Life | undefined;
  #ids = 0;
  #msgIds = 0;
  /** Resolves when a step waits before another attempt: that lasts until the clock goes on. */
  #paused = Promise.withResolvers<void>();

  /** @internal */
  constructor(options: TestOptions) {
    checkScript(options);
    this.#options = options;
    this.#files = new Map(Object.entries(options.files ?? {}));
    this.#model = modelOf(options, this.requests, this.clock);
  }

  /** The project as it lives now; another one after a crash. */
  get project(): Project {
    return this.#living.project;
  }

  /** How many commits this life has made. */
  get commits(): number {
    return this.#living.store.commits();
  }

  /** A new dialog with this message; resolves when nothing moves any more. With an agent in code, `result()` gives what that agent promises. */
  async send<const Agent extends string | DefinedAgent = string>(
    content: string,
    { agent, by }: { readonly agent?: Agent | undefined; readonly by?: string | undefined } = {},
  ): Promise<TestDialog<ResultOf<Agent>>> {
    const msgId = this.nextMsgId();
    const { id } = await this.run((project) => project.dialogs.create<string | DefinedAgent>({ content, msgId, agent, by }));
    await this.quiet();
    return new TestDialog(this, id, typeof agent === "object" ? agent : undefined);
  }

  /** A new task. Nobody is given it before `runTasks`. */
  async addTask(task: NewTask & { readonly by?: string }): Promise<TaskView> {
    const msgId = this.nextMsgId();
    return this.run((project) => project.tasks.create({ ...task, msgId }));
  }

  /** Gives ready tasks to agents until nobody is at work on one, and what is left waits for people. */
  async runTasks(): Promise<void> {
    await this.run((project) => project.tasks.run());
    await this.quiet();
  }

  /** A document as it is now: a section of a Taskdoc, of the memory, of the requirements. */
  file(path: string): string | undefined {
    return this.#files.get(path);
  }

  /** What waits for a person, the most urgent first. */
  questions(): Promise<readonly QuestionView[]> {
    return this.run((project) => project.questions.list());
  }

  /** In words, or by a choice: its label, or its number from 0. */
  async answer(answer: string | { readonly choice: string | number | readonly (string | number)[] }, which: Which = {}): Promise<void> {
    const given = typeof answer === "string" ? { content: answer } : answer;
    await this.#decide(which, (project, id, signed) => project.questions.answer(id, { ...given, ...signed }));
  }

  /** `arguments`: with another input. `pattern` and `scope`: and the like from now on. */
  async approve({
    question,
    by,
    ...how
  }: Which & Omit<Parameters<Project["questions"]["approve"]>[1] & object, "by" | "msgId"> = {}): Promise<void> {
    await this.#decide({ question, by }, (project, id, signed) => project.questions.approve(id, { ...how, ...signed }));
  }

  async deny(why?: string, which: Which = {}): Promise<void> {
    await this.#decide(which, (project, id, signed) => project.questions.deny(id, { why, ...signed }));
  }

  async dismiss(why?: string, which: Which = {}): Promise<void> {
    await this.#decide(which, (project, id, signed) => project.questions.dismiss(id, { why, ...signed }));
  }

  async askBack(content: string, which: Which = {}): Promise<void> {
    await this.#decide(which, (project, id, signed) => project.questions.askBack(id, content, signed));
  }

  /** Time passes: deadlines, pauses between attempts. "3 days", "90s", or milliseconds. */
  async advance(time: string | number): Promise<void> {
    this.#paused = Promise.withResolvers<void>();
    this.clock.advance(typeof time === "number" ? time : durationMs(time));
    // What is due by now sets off in the next moments, and is then waited for.
    for (let moment = 0; moment < 5; moment++) await new Promise((go) => setImmediate(go));
    await this.quiet();
  }

  /** Everything in memory is gone, at once; then it is opened again from the log. */
  async crash(): Promise<void> {
    this.#living.store.die();
    await this.open();
    await this.quiet();
  }

  /** Resolves when no turn may step, or all that moves waits for the clock. */
  async quiet(): Promise<void> {
    await this.run(async (project) => {
      const quiet = (async () => {
        for (const { rootId } of project.dialogs.list()) await project.dialogs.quiet(rootId);
      })();
      await Promise.race([quiet, this.#paused.promise]);
    });
  }

  async close(): Promise<void> {
    await this.#living.project.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal */
  nextMsgId(): string {
    this.#msgIds += 1;
    return `test-${this.#msgIds}`;
  }

  /** Asks the living project; if it dies meanwhile, the next one. @internal */
  async run<T>(ask: (project: Project) => Promise<T>): Promise<T> {
    for (;;) {
      const { project, store } = this.#living;
      const answered = await Promise.race([ask(project).then((value) => ({ value })), store.died.then(() => undefined)]);
      if (answered) return answered.value;
      if (this.#living.store === store) await this.open();
    }
  }

  /** @internal */
  async open(point?: CrashPoint): Promise<void> {
    const store = crashingStore(memoryStore(this.#disk), point);
    const { clock } = this;
    this.#paused = Promise.withResolvers<void>();
    const project = await openProject({
      dir: this.#options.dir ?? "/colloquy-test",
      store: store.store,
      agents: this.#options.agents,
      documents: memoryDocuments(this.#files),
      staging: this.#options.staging,
      model: this.#model.name,
      findModel: () => this.#model,
      clock,
      newId: () => {
        this.#ids += 1;
        return timeOrderedId(clock.now(), Uint8Array.from([0, 0, 0, 0, 0, 0, this.#ids >> 24, this.#ids >> 16, this.#ids >> 8, this.#ids]));
      },
      chance: () => 0.5,
      report: (message) => this.reports.push(message),
    });
    project.onLive((event) => event.type === "retry_evt" && this.#paused.resolve());
    this.#life = { project, store };
  }

  get #living(): Life {
    if (!this.#life) throw new Error("The project is not open: make it with testProject().");
    return this.#life;
  }

  async #decide(
    { question, by }: Which,
    decide: (project: Project, id: string, signed: { readonly msgId: string; readonly by: string | undefined }) => Promise<unknown>,
  ): Promise<void> {
    const id = question ?? (await this.#onlyQuestion());
    const msgId = this.nextMsgId();
    await this.run((project) => decide(project, id, { msgId, by }));
    await this.quiet();
  }

  async #onlyQuestion(): Promise<string> {
    const [question, another] = await this.questions();
    if (!question) throw new Error("Nothing waits for a person now.");
    if (another) throw new Error(`More than one question is open. Say which is meant: { question: id }.`);
    return question.id;
  }
}

/** A project in memory: agents as they are, the model as the script says. */
export async function testProject(options: TestOptions): Promise<TestProject> {
  const project = new TestProject(options);
  await project.open();
  return project;
}

/** A step that is told to nobody would be missed by whoever it was meant for, and much later. */
function checkScript({ agents, script, dir }: TestOptions): void {
  if ("rules" in script || dir !== undefined) return;
  const ids = agents.map(({ id }) => id);
  const stranger = Object.keys(script).find((id) => !ids.includes(id));
  if (stranger === undefined) return;
  throw new Refused({
    code: "unknown_agent",
    message: `The script tells "${stranger}" what to do, and there is no such agent. The team: ${ids.join(", ")}.`,
  });
}

function modelOf({ script, contextWindow }: TestOptions, requests: ModelRequest[], clock: TestClock): Model {
  if (!("rules" in script)) return toldModel(script as Telling, requests, contextWindow);
  const model = scriptedModel("scripted/test", Script.parse(script), { sleep: (ms, signal) => clock.sleep(ms, signal) });
  return {
    ...model,
    ...(contextWindow !== undefined && { contextWindow }),
    stream: (request, signal) => {
      requests.push({ ...request, messages: [...request.messages] });
      return model.stream(request, signal);
    },
  };
}
