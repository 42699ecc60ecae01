import type { DefinedAgent, DialogView, RootId, TreeEvent } from "@colloquy/library";
import type { TestProject } from "./test-project.ts";

/** A main dialog of a test project. It survives the project's crashes. */
export class TestDialog<Result = string> {
  readonly id: RootId;
  readonly #project: TestProject;
  readonly #agent: DefinedAgent | undefined;

  /** @internal */
  constructor(project: TestProject, id: RootId, agent: DefinedAgent | undefined) {
    this.#project = project;
    this.id = id;
    this.#agent = agent;
  }

  /** Sends another message; resolves when the project is quiet. */
  async send(content: string, { by }: { readonly by?: string | undefined } = {}): Promise<this> {
    const msgId = this.#project.nextMsgId();
    await this.#project.run((project) => project.dialogs.send(this.id, { content, msgId, ...(by !== undefined && { by }) }));
    await this.#project.quiet();
    return this;
  }

  /** The answer. Throws if a person must decide first, and says which question is open. */
  async result(): Promise<Result> {
    await this.#project.quiet();
    const open = (await this.#project.questions()).filter(({ dialog }) => dialog.rootId === this.id);
    const [question] = open;
    if (question?.kind === "fault") throw new Error(`The dialog is stopped: ${question.text}`);
    if (question) throw new Error(`The dialog waits for a person: "${question.headline}" (${question.kind}). Answer it first.`);
    const result = this.#project.run((project) => project.dialogs.get(this.id, { agent: this.#agent }).result());
    return result as Promise<Result>;
  }

  view(): Promise<DialogView> {
    return this.#project.run((project) => project.dialogs.view(this.id));
  }

  /** All events of its tree, in order. */
  async events(): Promise<readonly TreeEvent[]> {
    const lines = await this.#project.run((project) => project.dialogs.events(this.id));
    return lines.flatMap((line) => line.events);
  }
}
