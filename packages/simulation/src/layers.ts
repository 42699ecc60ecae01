import { type Applied, defineTool, StagedOutput, type Staging, type Tool, type Undone } from "@colloquy/runtime";
import type { CallEffects } from "@colloquy/schema";
import { z } from "zod";
import { demand } from "./broken.ts";
import type { Chance } from "./world/chance.ts";
import type { Ledger } from "./watches/ledger.ts";
import type { Life } from "./world/schedule.ts";

interface Layer {
  readonly input: unknown;
  readonly isLost: boolean;
}

/** The layers of one project, on a disk that outlives every process. */
export class SimulatedLayers {
  readonly #ledger: Ledger;
  readonly #chance: Chance;
  readonly #waiting = new Map<string, Layer>();
  readonly #applied = new Map<string, number>();
  readonly #undone = new Set<string>();

  constructor(ledger: Ledger, chance: Chance) {
    this.#ledger = ledger;
    this.#chance = chance;
  }

  get waiting(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  /** The layers as one process sees them. A dead process applies nothing. */
  staging(life: Life): Staging {
    return {
      holdsAll: () => true,
      apply: async (callId) => (life.isOver ? NOTHING : this.#apply(callId)),
      discard: async (callId) => void (!life.isOver && this.#waiting.delete(callId)),
      undo: async (callId) => (life.isOver ? NOTHING_UNDONE : this.#undo(callId)),
      undoable: async () => [...this.#applied.keys()].filter((callId) => !this.#undone.has(callId)),
      recover: async () => undefined,
      sweep: async (_dir, isOpen) => {
        for (const callId of this.waiting) if (!(await isOpen(callId)) && !life.isOver) this.#waiting.delete(callId);
      },
    };
  }

  /** A command. `take`: it takes a while. */
  tool(life: Life, take: (signal: AbortSignal) => Promise<void>): Tool {
    const tool = defineTool({
      name: "build",
      description: "To build.",
      input: z.object({ what: z.string() }),
      timeoutMs: 60_000,
      run: async (input, { callId, signal }) => {
        await take(signal);
        if (life.isOver || this.#chance.is(0.2)) return "done";
        const isLost = this.#chance.is(0.4);
        this.#waiting.set(callId, { input, isLost });
        return new StagedOutput("done", effectsOf(isLost), "− work.txt");
      },
    });
    return { ...tool, staged: this.staging(life) };
  }

  #apply(callId: string): Applied {
    const layer = this.#waiting.get(callId);
    // Applied by a process that died before it could report it.
    if (!layer) return NOTHING;
    if (this.#chance.is(0.05)) return { conflicts: ["work.txt"], notes: [] };
    this.#waiting.delete(callId);
    const times = (this.#applied.get(callId) ?? 0) + 1;
    this.#applied.set(callId, times);
    const ledger = this.#ledger;
    demand(times === 1, "SI21", () => `what the call ${callId} did was applied ${times} times`);
    demand(ledger.ran.has(callId), "SI21", () => `what the call ${callId} did was applied before that was in the log`);
    demand(!ledger.has("result", callId), "SI21", () => `what the call ${callId} did was applied after its result`);
    if (layer.isLost) ledger.approvals.demandApproved(callId, layer.input);
    return NOTHING;
  }

  #undo(callId: string): Undone {
    // Undone by a process that died before it could report it.
    if (this.#undone.has(callId)) return NOTHING_UNDONE;
    const ledger = this.#ledger;
    demand(this.#applied.has(callId), "SI22", () => `the call ${callId} was undone, which was never applied`);
    demand(ledger.undos.has(callId), "SI22", () => `the call ${callId} was undone before that was in the log`);
    if (this.#chance.is(0.1)) return { conflicts: [{ path: "work.txt" }], notes: [] };
    this.#undone.add(callId);
    return NOTHING_UNDONE;
  }

  /** Everything that the log calls undone is undone, and nothing else. */
  demandUndone(): void {
    for (const [callId, isUndone] of this.#ledger.undos)
      if (isUndone !== undefined)
        demand(
          isUndone === this.#undone.has(callId),
          "SI22",
          () => `the log and the disk disagree on whether the call ${callId} is undone`,
        );
  }

  /** No layer outlives its call. */
  demandOwned(): void {
    for (const callId of this.waiting)
      demand(!this.#ledger.has("result", callId), "SI21", () => `the layer of the call ${callId}, which is over, is still there`);
  }
}

const NOTHING_UNDONE: Undone = { conflicts: [], notes: [] };
const NOTHING: Applied = { conflicts: [], notes: [] };

const effectsOf = (isLost: boolean): CallEffects => ({
  files: [isLost ? { path: "work.txt", kind: "deleted", isLost } : { path: "new.txt", kind: "created" }],
  counts: { created: isLost ? 0 : 1, changed: 0, emptied: 0, deleted: isLost ? 1 : 0, moved: 0, lost: isLost ? 1 : 0 },
  bytes: 1,
  git: [],
  refused: [],
});
