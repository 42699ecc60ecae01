import type { Unwritten } from "@colloquy/core";
import { Refused, type RootId } from "@colloquy/schema";
import { FULL_DISK_PAUSE_MS } from "../engine/deps.ts";
import { OneAtATime } from "../engine/one-at-a-time.ts";
import type { ProjectContext } from "../engine/project-context.ts";

/** Bound of the growing pause between retries of a failed write. */
const MAX_PAUSE_MS = 60_000;

/** `taken`: somebody else had changed the file meanwhile, and their version stayed. */
export type Fate = "written" | "taken";

/** Writes the documents that people and the orchestrator change. A change is recorded before it is written. */
export class DocumentWriter {
  readonly #context: ProjectContext;
  readonly #exclusive = new OneAtATime();
  /** Trees with documents that couldn't be written and will be retried. */
  readonly #unsettled = new Set<RootId>();

  constructor(context: ProjectContext) {
    this.#context = context;
  }

  /** Changes to a document are exclusive, from the first read to the last write. */
  alone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    return this.#exclusive.alone(path, work);
  }

  /** Writes recorded changes that aren't written yet. A failure is thrown, and retried in the background. */
  async settle(rootId: RootId): Promise<void> {
    try {
      await this.#writeAll(rootId);
    } catch (error) {
      this.later(rootId);
      throw error;
    }
  }

  later(rootId: RootId, pauseMs = FULL_DISK_PAUSE_MS): void {
    if (this.#unsettled.has(rootId)) return;
    this.#unsettled.add(rootId);
    this.#context.deps.clock.sleep(pauseMs, this.#context.closing).then(
      () => {
        this.#unsettled.delete(rootId);
        return this.#writeAll(rootId).catch(() => this.later(rootId, Math.min(2 * pauseMs, MAX_PAUSE_MS)));
      },
      () => undefined, // the next process finds it in the log
    );
  }

  /** Writes one document, within `alone`: the file shows which version it has. Returns the outcome of its last change. */
  async write(rootId: RootId, path: string): Promise<Fate> {
    const { deps, trees, writer } = this.#context;
    const isMine = (one: Unwritten) => one.call === undefined && one.path === path;
    const unwritten = (await trees.look(rootId, ({ state }) => state.unwritten.filter(isMine))) ?? [];
    let fate: Fate = "written";
    for (const { from, to, seq, dialog } of unwritten) {
      const [line] = await deps.store.read(rootId, seq - 1, 1);
      const event = line?.events[seq - line.seq];
      const content = event?.type === "document.changed" ? event.content : undefined;
      fate = content === undefined ? "taken" : await this.#swapUnlessLinked(path, from, content);
      await writer.record(rootId, (tree) => ({
        ok: true,
        seq: tree.seq + 1,
        events: [
          {
            type: "document.written",
            dialog,
            course: tree.dialogs.get(dialog)?.course ?? 1,
            path,
            to,
            ...(fate === "taken" && { taken: true }),
          },
        ],
      }));
    }
    return fate;
  }

  async #writeAll(rootId: RootId): Promise<void> {
    const { trees } = this.#context;
    const unwritten = (await trees.look(rootId, ({ state }) => state.unwritten.filter((one) => one.call === undefined))) ?? [];
    for (const path of new Set(unwritten.map((one) => one.path))) await this.alone(path, () => this.write(rootId, path));
  }

  /** A link in its place stays and is reported: nothing is written through it, and nobody waits for it to disappear. */
  async #swapUnlessLinked(path: string, from: string, content: string): Promise<Fate> {
    const { documents, report } = this.#context.deps;
    try {
      return await documents.swap(path, from, content);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      report(error, `document ${path}`);
      return "taken";
    }
  }
}
