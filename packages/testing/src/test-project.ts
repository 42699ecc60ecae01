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
  /** What the model does: for each agent, its steps in order or a function of its request; or rules, as in a script file. */
  readonly script: Telling | Script;
  /** A folder whose `colloquy.yaml` applies: limits, language, autonomy. Nothing is written there. */
  readonly dir?: string | undefined;
  /** Initial documents by path: Taskdocs and memory. */
  readonly files?: Readonly<Record<string, string>> | undefined;
  readonly contextWindow?: number | undefined;
  /** The layers on which commands run. They survive crashes. */
  readonly staging?: Staging | undefined;
}

/** Which question is meant, if several are open. */
interface Which {
  readonly question?: string | undefined;
  readonly by?: string | undefined;
}

interface Life {
  readonly project: Project;
  readonly store: CrashingStore;
}

/**
 * A project in memory with a scripted model and its own clock. It can crash and restart: work in progress is lost, as with `kill -9`, the
 * log survives, and callers repeat their commands under the same `msgId`.
 */
export class TestProject {
  readonly clock = new TestClock();
  /** The requests to the model, in order, over all restarts. */
  readonly requests: ModelRequest[] = [];
  /** What would have been printed to standard error. */
  readonly reports: string[] = [];
  readonly #options: TestOptions;
  readonly #model: Model;
  readonly #disk = memoryBacking();
  readonly #files: Map<string, string>;
  #life: Life | undefined;
  #ids = 0;
  #msgIds = 0;
  /** Resolves when a step waits to be retried, which lasts until the clock advances. */
  #paused = Promise.withResolvers<void>();

  /** @internal */
  constructor(options: TestOptions) {
    checkScript(options);
    this.#options = options;
    this.#files = new Map(Object.entries(options.files ?? {}));
    this.#model = modelOf(options, this.requests, this.clock);
  }

  /** The running project. A crash replaces it with a new one. */
  get project(): Project {
    return this.#living.project;
  }

  /** Commits since the last restart. */
  get commits(): number {
    return this.#living.store.commits();
  }

  /**
   * Creates a dialog with this message; resolves when the project is quiet. With an agent defined in code, `result()` has that agent's
   * type.
   */
  async send<const Agent extends string | DefinedAgent = string>(
    content: string,
    { agent, by }: { readonly agent?: Agent | undefined; readonly by?: string | undefined } = {},
  ): Promise<TestDialog<ResultOf<Agent>>> {
    const msgId = this.nextMsgId();
    const { id } = await this.run((project) => project.dialogs.create<string | DefinedAgent>({ content, msgId, agent, by }));
    await this.quiet();
    return new TestDialog(this, id, typeof agent === "object" ? agent : undefined);
  }

  /** Creates a task. No agent takes it before `runTasks`. */
  async addTask(task: NewTask & { readonly by?: string }): Promise<TaskView> {
    const msgId = this.nextMsgId();
    return this.run((project) => project.tasks.create({ ...task, msgId }));
  }

  /** Assigns ready tasks to agents until nobody is working on one and the rest wait for people. */
  async runTasks(): Promise<void> {
    await this.run((project) => project.tasks.run());
    await this.quiet();
  }

  /** The current content of a document: a section of a Taskdoc, of the memory or of the requirements. */
  file(path: string): string | undefined {
    return this.#files.get(path);
  }

  /** Open questions, the most urgent first. */
  questions(): Promise<readonly QuestionView[]> {
    return this.run((project) => project.questions.list());
  }

  /** Answers in words, or with a choice by its label or its index from 0. */
  async answer(answer: string | { readonly choice: string | number | readonly (string | number)[] }, which: Which = {}): Promise<void> {
    const given = typeof answer === "string" ? { content: answer } : answer;
    await this.#decide(which, (project, id, signed) => project.questions.answer(id, { ...given, ...signed }));
  }

  /** `arguments`: approve with a changed input. `pattern` and `scope`: also approve similar calls from now on. */
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

  /** Advances the clock, so that deadlines and retry pauses pass. "3 days", "90s", or milliseconds. */
  async advance(time: string | number): Promise<void> {
    this.#paused = Promise.withResolvers<void>();
    this.clock.advance(typeof time === "number" ? time : durationMs(time));
    // Timers that are due start their work in the next ticks; `quiet` then waits for it.
    for (let moment = 0; moment < 5; moment++) await new Promise((go) => setImmediate(go));
    await this.quiet();
  }

  /** Loses everything in memory, then reopens the project from the log. */
  async crash(): Promise<void> {
    this.#living.store.die();
    await this.open();
    await this.quiet();
  }

  /** Resolves when no turn may step, or everything in progress waits for the clock. */
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

  /** Calls the running project; if it crashes meanwhile, calls the next one. @internal */
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

/** Creates a project in memory with these agents and a scripted model. */
export async function testProject(options: TestOptions): Promise<TestProject> {
  const project = new TestProject(options);
  await project.open();
  return project;
}

/** A script for an unknown agent would only be noticed much later, so it is refused at the start. */
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
