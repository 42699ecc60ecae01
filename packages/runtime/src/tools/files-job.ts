import { Worker } from "node:worker_threads";
import type { Listing } from "./listing.ts";
import { type Facts, OutOfReach } from "./open-at.ts";
import type { Place } from "./place.ts";
import type { Hit, SearchEnd, SearchJob } from "./search.ts";
import type { Survey } from "./survey.ts";

const TIME_MS = 20_000;
const SURVEY_MS = 60_000;
const MEMORY_MB = 512;

/** Work for `files.worker.ts`. */
export type Job =
  | { readonly kind: "list"; readonly root: string; readonly inside: string }
  | ({ readonly kind: "search" } & SearchJob)
  | { readonly kind: "survey"; readonly root: string; readonly programs: readonly string[]; readonly isShallow: boolean }
  | { readonly kind: "link"; readonly root: string; readonly inside: string; readonly facts: Facts };

export type Answer =
  | { readonly kind: "part"; readonly part: readonly Hit[] }
  | { readonly kind: "done"; readonly result: unknown }
  | { readonly kind: "failed"; readonly message: string; readonly isOutOfReach: boolean };

/** The time for a job is over. */
export class TimeUp extends Error {}

export const listFolder = (place: Place, signal: AbortSignal): Promise<Listing> =>
  inWorker<Listing>({ kind: "list", root: place.root, inside: place.inside }, signal);

export const searchFiles = (
  job: SearchJob,
  signal: AbortSignal,
  timeMs: number,
  onHits: (hits: readonly Hit[]) => void,
): Promise<SearchEnd> => inWorker<SearchEnd>({ kind: "search", ...job }, signal, timeMs, onHits);

export const surveyProject = (
  root: string,
  signal: AbortSignal,
  { programs, isShallow = false }: { readonly programs: readonly string[]; readonly isShallow?: boolean },
): Promise<Survey> => inWorker<Survey>({ kind: "survey", root, programs, isShallow }, signal, SURVEY_MS);

/** Are all the names of this file open to tools? */
export const isLinkOpen = ({ root, inside }: Place, facts: Facts, signal: AbortSignal): Promise<boolean> =>
  inWorker<boolean>({ kind: "link", root, inside, facts }, signal);

/** Ends the thread when it is done, when time is up, and when the signal is aborted. */
async function inWorker<Result>(
  job: Job,
  signal: AbortSignal,
  timeMs = TIME_MS,
  onPart: (part: readonly Hit[]) => void = () => {},
): Promise<Result> {
  signal.throwIfAborted();
  const file = import.meta.url.endsWith(".ts") ? "./files.worker.ts" : "./files.worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    workerData: job,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const time = AbortSignal.timeout(timeMs);
  const over = AbortSignal.any([signal, time]);
  try {
    return await new Promise<Result>((resolve, reject) => {
      over.addEventListener("abort", () => reject(signal.aborted ? signal.reason : new TimeUp(`It took longer than ${timeMs / 1000} s.`)), {
        once: true,
      });
      worker.on("error", reject);
      worker.on("exit", () => reject(new Error("The search ended without a result.")));
      worker.on("message", (answer: Answer) => {
        if (answer.kind === "part") onPart(answer.part);
        else if (answer.kind === "done") resolve(answer.result as Result);
        else reject(answer.isOutOfReach ? new OutOfReach(answer.message) : new Error(answer.message));
      });
    });
  } finally {
    await worker.terminate();
  }
}
