import { Worker } from "node:worker_threads";
import type { Measured } from "../../layers/judge/measure.ts";
import type { Sealed, SealJob } from "../../layers/judge/seal.ts";
import { type PackedPaths, unpacked } from "../../layers/touched-paths.ts";
import type { Applied, TouchedPaths, Undone } from "../../calls/tool.ts";
import type { KeptOutput, ReadableOutput } from "../shell/readable-output.ts";
import { edited, type Edited, type EditJob } from "./text/edited-text.ts";
import type { Excerpt, ExcerptJob } from "./text/excerpt.ts";
import type { Listing } from "./listing.ts";
import { type Facts, OutOfReach } from "./open-at.ts";
import type { ResolvedPath } from "./resolved-path.ts";
import type { Hit, SearchEnd, SearchJob } from "./search.ts";
import type { Survey } from "./survey.ts";

const TIME_MS = 20_000;
const SURVEY_MS = 60_000;
/** For layers: a command's effects must be read and applied completely. */
const LAYER_MS = 600_000;
const MEMORY_MB = 512;
/** Characters of a file that is edited at once. */
const MAX_EDITED_HERE = 200_000;
/** Bound of idle threads, which keep what they know about projects. */
const MAX_IDLE = 2;

/** Work for `files.worker.ts`. */
export type Job =
  | { readonly kind: "list"; readonly root: string; readonly inside: string }
  | ({ readonly kind: "search" } & SearchJob)
  | ({ readonly kind: "excerpt" } & ExcerptJob)
  | ({ readonly kind: "edit" } & EditJob)
  | ({ readonly kind: "output" } & KeptOutput)
  | { readonly kind: "survey"; readonly root: string; readonly programs: readonly string[]; readonly isShallow: boolean }
  | { readonly kind: "link"; readonly root: string; readonly inside: string; readonly facts: Facts }
  | { readonly kind: "measure"; readonly root: string }
  | ({ readonly kind: "seal" } & SealJob)
  | ({ readonly kind: "apply"; readonly root: string; readonly callId: string } & ApplyJob)
  | { readonly kind: "undo" | "touched"; readonly root: string; readonly callId: string }
  | { readonly kind: "removeLayers"; readonly root: string; readonly callIds: readonly string[] };

export interface ApplyJob {
  /** Paths that we run by now. */
  readonly programs: readonly string[];
  /** Paths of files that the layer creates. */
  readonly made: readonly string[];
}

export interface AppliedInThread extends Applied {
  /** Identifies the files made, if the layer was applied. */
  readonly madeKeys: readonly string[];
}

export type Answer =
  | { readonly kind: "part"; readonly part: readonly Hit[] }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly message: string; readonly isOutOfReach: boolean };

/** The job timed out. */
export class TimeUp extends Error {}

export const listFolder = (place: ResolvedPath, signal: AbortSignal): Promise<Listing> =>
  inWorker<Listing>({ kind: "list", root: place.root, inside: place.inside }, signal);

export const searchFiles = (
  job: SearchJob,
  signal: AbortSignal,
  timeMs: number,
  onHits: (hits: readonly Hit[]) => void,
): Promise<SearchEnd> => inWorker<SearchEnd>({ kind: "search", ...job }, signal, timeMs, onHits);

export const excerptInThread = (job: ExcerptJob, signal: AbortSignal): Promise<Excerpt> =>
  inWorker<Excerpt>({ kind: "excerpt", ...job }, signal);

/** Long files are edited in a thread. */
export const editText = async (job: EditJob, signal: AbortSignal): Promise<Edited> =>
  job.text.length > MAX_EDITED_HERE ? inWorker<Edited>({ kind: "edit", ...job }, signal) : edited(job);

export const outputInThread = (kept: KeptOutput, signal: AbortSignal): Promise<ReadableOutput> =>
  inWorker<ReadableOutput>({ kind: "output", ...kept }, signal);

export const surveyProject = (
  root: string,
  signal: AbortSignal,
  { programs, isShallow = false }: { readonly programs: readonly string[]; readonly isShallow?: boolean },
): Promise<Survey> => inWorker<Survey>({ kind: "survey", root, programs, isShallow }, signal, SURVEY_MS);

/** Are all names of this file open to tools? */
export const isLinkOpen = ({ root, inside }: ResolvedPath, facts: Facts, signal: AbortSignal): Promise<boolean> =>
  inWorker<boolean>({ kind: "link", root, inside, facts }, signal);

export const measureInThread = (root: string, signal: AbortSignal): Promise<Measured> =>
  inWorker<Measured>({ kind: "measure", root }, signal, SURVEY_MS);

export async function sealLayer(job: SealJob, signal: AbortSignal): Promise<Sealed> {
  const sealed = await inWorker<PackedSeal>({ kind: "seal", ...job }, signal, LAYER_MS);
  return sealed.kind === "sealed" ? { ...sealed, touched: (await unpacked(sealed.touched)) ?? NOTHING_TOUCHED } : sealed;
}

type PackedSeal = Exclude<Sealed, { kind: "sealed" }> | (Omit<Extract<Sealed, { kind: "sealed" }>, "touched"> & { touched: PackedPaths });
const NOTHING_TOUCHED: TouchedPaths = { changed: [], retimed: [] };

/** Can't be aborted: it would stay half applied until the next start. */
export const applyInThread = (root: string, callId: string, job: ApplyJob): Promise<AppliedInThread> =>
  inWorker<AppliedInThread>({ kind: "apply", root, callId, ...job }, new AbortController().signal, LAYER_MS);

/** Can't be aborted, for the same reason. */
export const undoInThread = (root: string, callId: string): Promise<Undone> =>
  inWorker<Undone>({ kind: "undo", root, callId }, new AbortController().signal, LAYER_MS);

export const touchedInThread = async (root: string, callId: string): Promise<TouchedPaths | undefined> =>
  unpacked(await inWorker<PackedPaths | undefined>({ kind: "touched", root, callId }, new AbortController().signal, LAYER_MS));

export const removeLayers = (root: string, callIds: readonly string[]): Promise<void> =>
  inWorker<void>({ kind: "removeLayers", root, callIds }, new AbortController().signal, LAYER_MS);

interface Waiter {
  readonly tell: (answer: Answer) => void;
  readonly fail: (error: Error) => void;
}

/** A thread that does one job after another, and doesn't keep the process alive between them. */
class Thread {
  readonly #worker: Worker;
  #waiter: Waiter | undefined;

  constructor() {
    const file = import.meta.url.endsWith(".ts") ? "./files.worker.ts" : "./files.worker.js";
    this.#worker = new Worker(new URL(file, import.meta.url), {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    this.#worker.on("message", (answer: Answer) => this.#waiter?.tell(answer));
    this.#worker.on("error", (error: Error) => this.#end(error));
    this.#worker.on("exit", () => this.#end(new Error("The search ended without a result.")));
  }

  /** Starts a job. `waiter` gets its answers, or its failure. */
  begin(job: Job, waiter: Waiter): void {
    this.#worker.ref();
    this.#waiter = waiter;
    this.#worker.postMessage(job);
  }

  rest(): void {
    this.#waiter = undefined;
    this.#worker.unref();
    idle.push(this);
  }

  #end(error: Error): void {
    const at = idle.indexOf(this);
    if (at >= 0) idle.splice(at, 1);
    this.#waiter?.fail(error);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

const idle: Thread[] = [];

/** One job for one thread. A timeout or the signal terminates the thread: a pattern may take for ever. */
async function inWorker<Result>(
  job: Job,
  signal: AbortSignal,
  timeMs = TIME_MS,
  onPart: (part: readonly Hit[]) => void = () => {},
): Promise<Result> {
  signal.throwIfAborted();
  const thread = idle.pop() ?? new Thread();
  const time = AbortSignal.timeout(timeMs);
  const over = AbortSignal.any([signal, time]);
  let isReusable = false;
  try {
    return await new Promise<Result>((resolve, reject) => {
      over.addEventListener("abort", () => reject(signal.aborted ? signal.reason : new TimeUp(`It took longer than ${timeMs / 1000} s.`)), {
        once: true,
      });
      thread.begin(job, {
        fail: reject,
        tell: (answer) => {
          if (answer.kind === "part") {
            onPart(answer.part);
            return;
          }
          isReusable = true;
          if (answer.kind === "done") resolve(answer.result as Result);
          else reject(answer.isOutOfReach ? new OutOfReach(answer.message) : new Error(answer.message));
        },
      });
    });
  } finally {
    if (isReusable && idle.length < MAX_IDLE) thread.rest();
    else await thread.terminate();
  }
}
