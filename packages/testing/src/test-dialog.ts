import type { DialogView, RootId, TreeEvent } from "@colloquy/library";
import type { TestProject } from "./test-project.ts";

/** A main dialog of a test project. It outlives the project's crashes. */
export class TestDialog {
  readonly id: RootId;
  readonly #project: TestProject;

  constructor(project: TestProject, id: RootId) {
    this.#project = project;
    this.id = id;
  }

  /** Another message; resolves when nothing moves any more. */
  async send(content: string, { by }: { readonly by?: string } = {}): Promise<this> {
    const msgId = this.#project.nextMsgId();
    await this.#project.run((project) => project.send(this.id, { content, msgId, ...(by !== undefined && { by }) }));
    await this.#project.quiet();
    return this;
  }

  /** The answer. A test need not wait for a person: where one must decide first, that is an error which says so. */
  async result(): Promise<string> {
    await this.#project.quiet();
    const open = (await this.#project.questions()).filter(({ dialog }) => dialog.rootId === this.id);
    const [question] = open;
    if (question) throw new Error(`The dialog waits for a person: "${question.headline}" (${question.kind}). Answer it first.`);
    return this.#project.run((project) => project.result(this.id));
  }

  view(): Promise<DialogView> {
    return this.#project.run((project) => project.view(this.id));
  }

  /** Everything that happened in its tree, in order. */
  async events(): Promise<readonly TreeEvent[]> {
    const lines = await this.#project.run((project) => project.events(this.id));
    return lines.flatMap((line) => line.events);
  }
}
