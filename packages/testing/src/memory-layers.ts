import { type Applied, defineTool, StagedOutput, type Staging, type Tool, type Undone } from "@colloquy/runtime";
import type { CallEffects, FileEffect } from "@colloquy/schema";
import { z } from "zod";

interface Layer {
  /** The final content of each path; undefined if deleted. */
  readonly changes: ReadonlyMap<string, string | undefined>;
  /** The content of these paths when the command ran. */
  readonly before: ReadonlyMap<string, string | undefined>;
}

/** Layers over files in memory, with a `run_command` that understands `write PATH TEXT`, `rm PATH` and `&&`. They survive a crash. */
export class MemoryLayers implements Staging {
  readonly files = new Map<string, string>();
  /** How often each call was applied. */
  readonly applied = new Map<string, number>();
  /** How often each call was undone. */
  readonly undone = new Map<string, number>();
  readonly #layers = new Map<string, Layer>();
  readonly #done = new Map<string, Layer>();
  /** Paths that git could restore. */
  readonly #committed: ReadonlySet<string>;

  constructor(files: Readonly<Record<string, string>> = {}, committed: readonly string[] = []) {
    for (const [path, text] of Object.entries(files)) this.files.set(path, text);
    this.#committed = new Set(committed);
  }

  get waiting(): readonly string[] {
    return [...this.#layers.keys()];
  }

  /** `during`: called while a command runs. */
  tool(during: (signal: AbortSignal) => Promise<void> | void = () => undefined): Tool {
    const tool = defineTool({
      name: "run_command",
      description: "Runs.",
      input: z.strictObject({ command: z.string() }),
      run: async ({ command }, { callId, signal }) => {
        await during(signal);
        signal.throwIfAborted();
        return this.#run(command, callId);
      },
    });
    return { ...tool, staged: this };
  }

  holdsAll(): boolean {
    return true;
  }

  async apply(callId: string): Promise<Applied> {
    const layer = this.#layers.get(callId);
    if (!layer) return { conflicts: [], notes: [] };
    const conflicts = [...layer.before].flatMap(([path, text]) => (this.files.get(path) === text ? [] : [path]));
    if (conflicts.length > 0) return { conflicts, notes: [] };
    this.#put(layer.changes);
    this.#layers.delete(callId);
    this.#done.set(callId, layer);
    this.applied.set(callId, (this.applied.get(callId) ?? 0) + 1);
    return { conflicts: [], notes: [] };
  }

  async discard(callId: string): Promise<void> {
    this.#layers.delete(callId);
  }

  async undo(callId: string): Promise<Undone> {
    const done = this.#done.get(callId);
    if (this.undone.has(callId)) return { conflicts: [], notes: [] };
    if (!done) return { conflicts: [], notes: [], isGone: true };
    const later = [...this.#done].slice([...this.#done.keys()].indexOf(callId) + 1).filter(([call]) => !this.undone.has(call));
    const conflicts = [...done.changes].flatMap(([path, text]) => {
      if (this.files.get(path) === text) return [];
      const call = later.findLast(([, layer]) => layer.changes.has(path))?.[0];
      return [{ path, ...(call !== undefined && { call }) }];
    });
    if (conflicts.length > 0) return { conflicts, notes: [] };
    this.#put(done.before);
    this.undone.set(callId, (this.undone.get(callId) ?? 0) + 1);
    return { conflicts: [], notes: [] };
  }

  async undoable(): Promise<readonly string[]> {
    return [...this.#done.keys()].filter((call) => !this.undone.has(call)).toReversed();
  }

  #put(files: Layer["before"]): void {
    for (const [path, text] of files) {
      if (text === undefined) this.files.delete(path);
      else this.files.set(path, text);
    }
  }

  async recover(): Promise<void> {}

  async sweep(_dir: string, isOpen: (callId: string) => Promise<boolean>): Promise<void> {
    for (const callId of this.waiting) if (!(await isOpen(callId))) this.#layers.delete(callId);
  }

  #run(command: string, callId: string): StagedOutput | string {
    const changes = new Map<string, string | undefined>();
    for (const part of command.split(" && ")) {
      const [name, path = "", ...text] = part.split(" ");
      if (name === "write") changes.set(path, text.join(" "));
      if (name === "rm") changes.set(path, undefined);
    }
    const output = `ran ${command}`;
    if (changes.size === 0) return output;
    this.#layers.set(callId, { changes, before: new Map([...changes.keys()].map((path) => [path, this.files.get(path)])) });
    const files = [...changes].map(([path, text]): FileEffect => {
      const isNew = !this.files.has(path);
      const kind = text === undefined ? "deleted" : isNew ? "created" : "changed";
      return { path, kind, ...(kind === "deleted" && !this.#committed.has(path) && { isLost: true }) };
    });
    return new StagedOutput(output, effectsOf(files), files.map(({ path, kind }) => `${kind} ${path}`).join("\n"));
  }
}

const effectsOf = (files: readonly FileEffect[]): CallEffects => {
  const count = (kind: FileEffect["kind"]) => files.filter((file) => file.kind === kind).length;
  const lost = files.filter(({ isLost }) => isLost).length;
  const counts = { created: count("created"), changed: count("changed"), emptied: 0, deleted: count("deleted"), moved: 0, lost };
  return { files: [...files], counts, bytes: 0, git: [], refused: [] };
};
