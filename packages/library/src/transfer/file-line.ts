import { emptyTree, isOfTree, isTaskDocPath, mainDialog, type Tree } from "@colloquy/core";
import { isCall, type Line, LOG_VERSION, type RootId, type TreeEvent } from "@colloquy/schema";
import { z } from "zod";
import { foldEvent } from "../open/meaning.ts";
import { refusedFile } from "./file-reader.ts";

const LogLine = z.strictObject({
  v: z.number().int().positive(),
  pos: z.number().int().positive(),
  seq: z.number().int().positive(),
  at: z.string(),
  events: z.array(z.unknown()).min(1),
});

/** Folds a tree's lines from a file, and refuses what is not a line that follows. */
export class CheckedTree {
  #tree: Tree;
  #lines = 0;
  readonly #rootId: RootId;

  constructor(rootId: RootId) {
    this.#rootId = rootId;
    this.#tree = emptyTree(rootId);
  }

  get seq(): number {
    return this.#tree.seq;
  }

  add(text: string): void {
    this.#lines += 1;
    const line = this.#read(text);
    if (line.seq !== this.#tree.seq + 1) throw this.#refused(`event ${this.#tree.seq + 1} is missing`);
    try {
      let tree = this.#tree;
      for (const event of line.events) tree = foldEvent(this.#rootId, tree, event, Date.parse(line.at));
      this.#tree = tree;
    } catch (error) {
      throw this.#refused(error instanceof Error ? error.message : String(error));
    }
    for (const event of line.events) this.#demandOwnIds(event);
  }

  /** `events`: how many there should be. */
  end(events: number, taskDocPath: string): void {
    const main = mainDialog(this.#tree);
    if (!main || this.#tree.seq !== events) throw this.#refused(`it should have ${events} events`);
    if (main.taskDocPath !== taskDocPath || (taskDocPath !== "" && !isTaskDocPath(taskDocPath)))
      throw this.#refused("its Taskdoc is not a folder *.tsk/ inside a project");
  }

  #read(text: string): Line<TreeEvent> {
    const read = LogLine.safeParse(parsed(text));
    if (!read.success) throw this.#refused("it is not a line of a log");
    const line = read.data as Line<TreeEvent>;
    if (line.v > LOG_VERSION)
      throw refusedFile(`A newer version of Colloquy wrote the log of ${this.#rootId} (format ${line.v}). Update Colloquy to import it.`);
    if (!isTime(line.at)) throw this.#refused("its time is not a time");
    // Other spellings of the same values would not keep their bytes.
    if (JSON.stringify(line) !== text) throw this.#refused("it is not spelled as Colloquy spells it");
    return line;
  }

  /** An id leads to its tree by its digits: one that leads to another tree would act there. */
  #demandOwnIds(event: TreeEvent): void {
    const ids = [event.dialog as string];
    if (event.type === "question.asked") ids.push(event.question);
    if (event.type === "step.ended") for (const part of event.parts) if (isCall(part)) ids.push(part.call);
    for (const id of ids) if (!isOfTree(id, this.#rootId)) throw this.#refused(`the id ${id} belongs to another dialog`);
  }

  #refused(why: string) {
    return refusedFile(`The file is damaged: line ${this.#lines} of ${this.#rootId}: ${why}.`);
  }
}

export const lineFrom = (text: string): Line<TreeEvent> => JSON.parse(text) as Line<TreeEvent>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // no line of a log either
  }
}

function isTime(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text;
}
