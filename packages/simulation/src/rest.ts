import { projectionsOf, sayingsIn, type Tree } from "@colloquy/core";
import { readSayings } from "@colloquy/runtime";
import type { RootId, TaskView } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { parse } from "yaml";
import { demand } from "./broken.ts";
import type { Person } from "./world/person.ts";
import type { Process, ProcessWorld } from "./world/process.ts";
import type { Site } from "./world/site.ts";

// Invariants of an idle project.

/** What is not idle yet. */
export function restlessOf(sites: readonly Site[], people: readonly Person[]): string[] {
  return [
    ...sites.flatMap(({ ledger: { trees, tasks } }) => [
      ...[...trees].flatMap(([rootId, tree]) => restlessIn(rootId, tree)),
      ...tasks.all.flatMap((task) => (task.closed ? [] : [`task ${task.id} is ${tasks.statusOf(task)}`])),
    ]),
    ...people.flatMap(({ name, openWishes }) => openWishes.map((wish) => `${name} has not heard of ${wish}`)),
  ];
}

function restlessIn(rootId: RootId, tree: Tree): string[] {
  const [ready] = tree.ready.keys();
  const [question] = tree.openQuestions.keys();
  const [ask] = tree.asks.values();
  const unwritten = tree.unwritten.find((one) => one.call === undefined);
  const stopped = [...tree.dialogs.values()].find((dialog) => dialog.stopped && dialog.status === "running" && !dialog.isDead);
  return [
    ...(ready === undefined ? [] : [`${rootId}: ${ready} may go on`]),
    ...(question === undefined ? [] : [`${rootId}: the question ${question} is open`]),
    ...(ask === undefined ? [] : [`${rootId}: the ask ${ask.id} is open`]),
    ...(unwritten ? [`${rootId}: ${unwritten.path} is not written`] : []),
    ...(stopped ? [`${rootId}: ${stopped.id} is stopped: ${stopped.stopped?.reason.code}`] : []),
  ];
}

export function demandTasks({ project, site }: Process["opened"][number]): void {
  const inOrder = (views: readonly TaskView[]) => JSON.stringify(views.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  const [told, is] = [inOrder(project.tasks.list()), inOrder(site.ledger.tasks.views())];
  demand(told === is, "SI7", () => `the project lists its tasks as ${told.slice(0, 400)}, and the log says ${is.slice(0, 400)}`);
}

export type Files = ReadonlyMap<RootId, ReturnType<typeof projectionsOf>>;

/** The files for people, made from the folded trees. */
export async function filesOf(store: Store, trees: ReadonlyMap<RootId, Tree>): Promise<Files> {
  const files = new Map<RootId, ReturnType<typeof projectionsOf>>();
  const ofTree = async (rootId: RootId, tree: Tree) => {
    const needed = [...tree.dialogs.values()].flatMap((dialog) => sayingsIn(tree, dialog));
    files.set(rootId, projectionsOf(tree, await readSayings(store, rootId, needed)));
  };
  await Promise.all([...trees].map(([rootId, tree]) => ofTree(rootId, tree)));
  return files;
}

/** They match the log, and the journal is empty. */
export function demandFiles({ dir, ledger }: Site, expected: Files, { disk, slots, slotBytes }: ProcessWorld): void {
  const files = disk.files(`${dir}/.dialogs`);
  for (const [rootId, projections] of expected) {
    const status = ledger.trees.get(rootId)?.dialogs.get(rootId as never)?.status;
    const place = status === "completed" ? "done" : status === "archived" ? "archive" : "run";
    for (const { path, content } of projections) {
      const found = files.get(`${dir}/.dialogs/${place}/${rootId}/${path}`);
      const text = found && Buffer.from(found).toString();
      const isSame = text === undefined ? content === undefined : JSON.stringify(read(path, text)) === JSON.stringify(content);
      demand(
        isSame,
        "SI7",
        () => `${path} of ${rootId} is ${JSON.stringify(text)?.slice(0, 400)}, and the log says ${JSON.stringify(content)?.slice(0, 400)}`,
      );
    }
  }
  const journal = [...files].filter(([path, bytes]) => path.includes("/journal/slot") && bytes.some((byte) => byte !== 0));
  demand(journal.length === 0, "SI7", () => `after a clean stop there is something in ${journal.map(([path]) => path).join(", ")}`);
  const bytes = [...files].filter(([path]) => path.includes("/journal/slot")).reduce((sum, [, { length }]) => sum + length, 0);
  demand(bytes <= slots * Math.max(slotBytes, 1 << 16), "SI11", () => `the journal has grown to ${bytes} bytes`);
}

function read(path: string, text: string): unknown {
  try {
    return path.endsWith(".json") ? JSON.parse(text) : parse(text);
  } catch {
    return undefined; // torn: wrong, whatever it contains
  }
}
