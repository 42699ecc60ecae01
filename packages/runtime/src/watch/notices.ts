import { decideDismissNotice, type Notice, type SignedCommand } from "@colloquy/core";
import type { ProjectStream } from "./project-stream.ts";

/** What agents did on their own and reported to people. */
export class Notices {
  readonly #project: ProjectStream;

  constructor(project: ProjectStream) {
    this.#project = project;
  }

  get(id: string): Notice | undefined {
    return this.#project.state.notices.get(id);
  }

  /** Oldest first, dismissed ones included. */
  all(): readonly Notice[] {
    return [...this.#project.state.notices.values()].toSorted((a, b) => a.at - b.at);
  }

  /** Notices that nobody has dismissed. */
  open(): readonly Notice[] {
    return this.all().filter((notice) => notice.resolvedAt === undefined);
  }

  async dismiss(id: string, signed: SignedCommand): Promise<void> {
    await this.#project.decide((project) => decideDismissNotice(project, id, signed));
  }
}
