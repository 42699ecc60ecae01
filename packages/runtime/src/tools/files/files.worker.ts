// Lists, searches and surveys a project and reads layers in a separate thread: models write patterns and `.gitignore` files, and one
// that takes for ever must be terminated without blocking everybody else.
import { join } from "node:path";
import { parentPort } from "node:worker_threads";
import { applyAndTrim } from "../../layers/apply/applied-layers.ts";
import { LayerFolder } from "../../layers/layer-folder.ts";
import { measureProject } from "../../layers/judge/measure.ts";
import { undoLayer } from "../../layers/undo/undo-layer.ts";
import { type Sealed, seal } from "../../layers/judge/seal.ts";
import { packed, touchedBy } from "../../layers/touched-paths.ts";
import { keysOf } from "../../layers/judge/made-by-agents.ts";
import type { Answer, AppliedInThread, Job } from "./files-job.ts";
import { readableOutput } from "../shell/readable-output.ts";
import { edited } from "./text/edited-text.ts";
import { excerpt } from "./text/excerpt.ts";
import { linkJudge } from "./hard-links.ts";
import { list } from "./listing.ts";
import { OutOfReach } from "./open-at.ts";
import { search } from "./search.ts";
import { survey } from "./survey.ts";

const tell = (answer: Answer): void => parentPort?.postMessage(answer);

async function work(job: Job): Promise<unknown> {
  switch (job.kind) {
    case "list":
      return list(job.root, job.inside);
    case "search":
      return search(job, (part) => tell({ kind: "part", part }));
    case "excerpt":
      return excerpt(job);
    case "edit":
      return edited(job);
    case "output":
      return readableOutput(job);
    case "survey":
      return survey(job.root, job.programs, job.isShallow);
    case "link":
      return linkJudge(job.root)(job.facts, job.inside);
    case "measure":
      return measureProject(job.root);
    case "seal":
      return packedSeal(await seal(job));
    case "apply":
      return applied(job);
    case "undo":
      return undoLayer(new LayerFolder(job.root, job.callId));
    case "touched":
      return packed(touchedBy(new LayerFolder(job.root, job.callId)));
    case "removeLayers":
      for (const callId of job.callIds) new LayerFolder(job.root, callId).remove();
      return undefined;
  }
}

function applied({ root, callId, programs, made }: Extract<Job, { kind: "apply" }>): AppliedInThread {
  const result = applyAndTrim(new LayerFolder(root, callId), programs);
  return { ...result, madeKeys: result.conflicts.length === 0 ? keysOf(made.map((path) => join(root, path))) : [] };
}

const packedSeal = (sealed: Sealed) => (sealed.kind === "sealed" ? { ...sealed, touched: packed(sealed.touched) } : sealed);

parentPort?.on("message", async (job: Job) => {
  try {
    tell({ kind: "done", result: await work(job) });
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error), isOutOfReach: error instanceof OutOfReach });
  }
});
