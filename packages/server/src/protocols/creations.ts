import type { Project } from "@colloquy/library";
import { PROJECT_STREAM, type ProjectEvent, type RootId } from "@colloquy/schema";

/** How many lines of the project's log are read at once. */
const PAGE_LINES = 2_000;

interface Creation {
  readonly rootId: RootId;
  readonly msgId: string;
  readonly by: string;
}

/** The main dialogs that a protocol's clients created, read from the project's own log: they are known after a restart too. */
export class Creations {
  readonly #project: Pick<Project, "lines">;
  readonly #protocol: string;
  readonly #found: Creation[] = [];
  #seq = 0;
  #reading: Promise<void> = Promise.resolve();

  /** `protocol`: how the `msgId` of its messages begins. */
  constructor(project: Pick<Project, "lines">, protocol: string) {
    this.#project = project;
    this.#protocol = protocol;
  }

  /** Newest first. */
  async by(by: string, prefix: string): Promise<readonly Creation[]> {
    const reading = this.#reading.then(() => this.#read());
    // A failed read is tried again by the next caller.
    this.#reading = reading.catch(() => undefined);
    await reading;
    return this.#found.filter((one) => one.by === by && one.msgId.startsWith(prefix)).toReversed();
  }

  async #read(): Promise<void> {
    for (;;) {
      const lines = await this.#project.lines(PROJECT_STREAM, this.#seq, PAGE_LINES);
      const last = lines.at(-1);
      if (!last) return;
      for (const event of lines.flatMap((line) => line.events as readonly ProjectEvent[]))
        if (event.type === "tree.created" && event.msgId?.startsWith(this.#protocol))
          this.#found.push({ rootId: event.rootId, by: event.by, msgId: event.msgId });
      this.#seq = last.seq + last.events.length - 1;
    }
  }
}
