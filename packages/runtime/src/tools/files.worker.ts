// Listing, searching and looking through a project in a thread of its own: patterns and `.gitignore` files are written by
// models, and one that takes for ever must be ended without holding up everybody else.
import { parentPort, workerData } from "node:worker_threads";
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
  }
}

try {
  tell({ kind: "done", result: work(workerData as Job) });
} catch (error) {
  tell({ kind: "failed", message: error instanceof Error ? error.message : String(error), isOutOfReach: error instanceof OutOfReach });
}
