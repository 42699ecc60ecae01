import type { RootId } from "@colloquy/schema";
import type { Message } from "./message.ts";
import type { Project } from "./project.ts";
import type { Signed } from "./signed.ts";
import type { Listening, TreeListener } from "./subscribe.ts";

/** One dialog of a project. */
export class DialogHandle<Result = string> {
  readonly id: RootId;
  /** Where its last accepted word stands. */
  readonly seq: number;
  readonly #project: Project;

  constructor(project: Project, id: RootId, seq: number) {
    this.#project = project;
    this.id = id;
    this.seq = seq;
  }

  send = (message: Message | string) => this.#project.send(this.id, typeof message === "string" ? { content: message } : message);
  /** The answer, as its agent promises it: once the main dialog has nothing open, however long that takes. */
  result = async (options: { readonly signal?: AbortSignal } = {}): Promise<Result> =>
    (await this.#project.promised(this.id, options)) as Result;
  view = () => this.#project.view(this.id);
  subscribe = (listener: TreeListener, options?: Listening) => this.#project.subscribe(this.id, listener, options);
  stop = (signed?: Signed) => this.#project.stop(this.id, signed);
  resume = (signed?: Signed) => this.#project.resume(this.id, signed);
  done = (signed?: Signed) => this.#project.done(this.id, signed);
  archive = (signed?: Signed) => this.#project.archive(this.id, signed);
}
