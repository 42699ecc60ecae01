// Listing, searching, looking through a project and reading layers in a thread of its own: patterns and `.gitignore` files are written by
// models, and one that takes for ever must be ended without holding up everybody else.
import { parentPort } from "node:worker_threads";
import { applyAndTrim } from "../../layers/apply/applied-layers.ts";
import { LayerFolder } from "../../layers/layer-folder.ts";
import { measureProject } from "../../layers/judge/measure.ts";
import { undoLayer } from "../../layers/undo/undo-layer.ts";
import { seal } from "../../layers/judge/seal.ts";
import { touchedBy } from "../../layers/touched-paths.ts";
import type { Answer, Job } from "./files-job.ts";
import { linkJudge } from "./hard-links.ts";
import { list } from "./listing.ts";
import { OutOfReach } from "./open-at.ts";
import { search } from "./search.ts";
import { survey } from "./survey.ts";

const tell = (answer: Answer): void => parentPort?.postMessage(answer);

function work(job: Job): unknown {
  switch (job.kind) {
    case "list":
      return list(job.root, job.inside);
    case "search":
      return search(job, (part) => tell({ kind: "part", part }));
    case "survey":
      return survey(job.root, job.programs, job.isShallow);
    case "link":
      return linkJudge(job.root)(job.facts, job.inside);
    case "measure":
      return measureProject(job.root);
    case "seal":
      return seal(job);
    case "apply":
      return applyAndTrim(new LayerFolder(job.root, job.callId));
    case "undo":
      return undoLayer(new LayerFolder(job.root, job.callId));
    case "touched":
      return touchedBy(new LayerFolder(job.root, job.callId));
    case "removeLayers":
      for (const callId of job.callIds) new LayerFolder(job.root, callId).remove();
      return undefined;
  }
}

parentPort?.on("message", async (job: Job) => {
  try {
    tell({ kind: "done", result: await work(job) });
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error), isOutOfReach: error instanceof OutOfReach });
  }
});
