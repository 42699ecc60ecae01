import type { DialogView, RootId } from "@colloquy/schema";
import type { DefinedAgent } from "../team/define-agent.ts";
import type { Dialogs } from "./dialogs.ts";
import type { Message } from "./message.ts";
import type { Receipt, Signed } from "./signed.ts";
import type { Listening, TreeListener } from "./subscribe.ts";

/** One dialog of a project. */
export class DialogHandle<Result = string> {
  readonly id: RootId;
  /** The `seq` of its last accepted message. */
  readonly seq: number;
  readonly #dialogs: Dialogs;
  readonly #agent: DefinedAgent | undefined;

  /** @internal */
  constructor(dialogs: Dialogs, id: RootId, seq: number, agent?: DefinedAgent) {
    this.#dialogs = dialogs;
    this.#agent = agent;
    this.id = id;
    this.seq = seq;
  }

  send = (message: Message | string): Promise<Receipt> => this.#dialogs.send(this.id, message);
  /**
   * The answer, once the main dialog has nothing open, however long that takes. If the handle was made with an agent in code that
   * has an `output`, returns that object.
   */
  result = async (options: { readonly signal?: AbortSignal | undefined } = {}): Promise<Result> =>
    (await this.#dialogs.promised(this.id, this.#agent, options)) as Result;
  view = (): Promise<DialogView> => this.#dialogs.view(this.id);
  subscribe = (listener: TreeListener, options?: Listening): (() => void) => this.#dialogs.subscribe(this.id, listener, options);
  stop = (signed?: Signed): Promise<Receipt> => this.#dialogs.stop(this.id, signed);
  resume = (signed?: Signed): Promise<Receipt> => this.#dialogs.resume(this.id, signed);
  done = (signed?: Signed): Promise<Receipt> => this.#dialogs.done(this.id, signed);
  archive = (signed?: Signed): Promise<Receipt> => this.#dialogs.archive(this.id, signed);
  delete = (signed?: Signed): Promise<void> => this.#dialogs.delete(this.id, signed);
}
