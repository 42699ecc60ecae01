import type { DialogView, RootId } from "@colloquy/schema";
import type { DefinedAgent } from "../team/define-agent.ts";
import type { Message } from "./message.ts";
import type { Project } from "../project/project.ts";
import type { Receipt, Signed } from "./signed.ts";
import type { Listening, TreeListener } from "./subscribe.ts";

/** One dialog of a project. */
export class DialogHandle<Result = string> {
  readonly id: RootId;
  /** Where its last accepted word stands. */
  readonly seq: number;
  readonly #project: Project;
  readonly #agent: DefinedAgent | undefined;

  /** @internal */
  constructor(project: Project, id: RootId, seq: number, agent?: DefinedAgent) {
    this.#project = project;
    this.#agent = agent;
    this.id = id;
    this.seq = seq;
  }

  send = (message: Message | string): Promise<Receipt> => this.#project.send(this.id, message);
  /**
   * The answer, once the main dialog has nothing open, however long that takes. Where the handle was made with an agent in code that
   * has an `output`: the object that it promises.
   */
  result = async (options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Result> =>
    (await this.#project.promised(this.id, this.#agent, options)) as Result;
  view = (): Promise<DialogView> => this.#project.view(this.id);
  subscribe = (listener: TreeListener, options?: Listening): (() => void) => this.#project.subscribe(this.id, listener, options);
  stop = (signed?: Signed): Promise<Receipt> => this.#project.stop(this.id, signed);
  resume = (signed?: Signed): Promise<Receipt> => this.#project.resume(this.id, signed);
  done = (signed?: Signed): Promise<Receipt> => this.#project.done(this.id, signed);
  archive = (signed?: Signed): Promise<Receipt> => this.#project.archive(this.id, signed);
}
