import type { DialogView, RootId } from "@colloquy/schema";
import type { Message } from "./message.ts";
import type { Project } from "./project.ts";
import type { Receipt, Signed } from "./signed.ts";
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

  send = (message: Message | string): Promise<Receipt> =>
    this.#project.send(this.id, typeof message === "string" ? { content: message } : message);
  /** The answer, as its agent promises it: once the main dialog has nothing open, however long that takes. */
  result = async (options: { readonly signal?: AbortSignal } = {}): Promise<Result> =>
    (await this.#project.promised(this.id, options)) as Result;
  view = (): Promise<DialogView> => this.#project.view(this.id);
  subscribe = (listener: TreeListener, options?: Listening): (() => void) => this.#project.subscribe(this.id, listener, options);
  stop = (signed?: Signed): Promise<Receipt> => this.#project.stop(this.id, signed);
  resume = (signed?: Signed): Promise<Receipt> => this.#project.resume(this.id, signed);
  done = (signed?: Signed): Promise<Receipt> => this.#project.done(this.id, signed);
  archive = (signed?: Signed): Promise<Receipt> => this.#project.archive(this.id, signed);
}
