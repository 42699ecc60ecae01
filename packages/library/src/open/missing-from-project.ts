import { type AnyEvent, mainDialogOf, type ProjectEvent, type TreeEvent } from "@colloquy/schema";
import type { KnownTree } from "@colloquy/store-file";

/**
 * What a project's own log should contain, according to the logs of its trees: their creation, their tasks, their notices. Notices come
 * back as new ones, since only the project's log knew which were dismissed. Known entries are left out.
 */
export function missingFromProject(known: readonly unknown[], trees: readonly KnownTree[]): readonly AnyEvent[] {
  const before = known as readonly ProjectEvent[];
  const has = (fits: (event: ProjectEvent) => boolean) => before.some(fits);
  return trees
    .toSorted((a, b) => madeAt(a) - madeAt(b))
    .flatMap((tree): ProjectEvent[] => {
      const { rootId } = tree;
      const events = tree.lines.flatMap((line) => line.events as readonly TreeEvent[]);
      const main = events.find((event) => event.type === "dialog.created" && event.dialog === mainDialogOf(rootId));
      if (main?.type !== "dialog.created") return [];
      const isMade = has((event) => event.type === "tree.created" && event.rootId === rootId);
      const isTask = main.task === undefined || has((event) => event.type === "task.created" && event.task === main.task?.id);
      return [
        ...(isMade ? [] : [{ type: "tree.created", rootId, by: main.by ?? "unknown" } as const]),
        ...(isTask ? [] : taskOf(tree, main, events)),
        ...events.flatMap((event) => {
          if (event.type !== "notice.added" || has((one) => one.type === "notice.given" && one.notice === event.notice)) return [];
          const { turn: _, call: __, ...notice } = event;
          return [{ ...notice, type: "notice.given", rootId } as const];
        }),
      ];
    });
}

const madeAt = ({ lines }: KnownTree): number => Date.parse(lines[0]?.at ?? "") || 0;

type Created = Extract<TreeEvent, { type: "dialog.created" }>;

/** Its task, as recorded in its dialog, and the outcome of its last run. */
function taskOf({ rootId }: KnownTree, main: Created, events: readonly TreeEvent[]): ProjectEvent[] {
  if (!main.task) return [];
  const { id: task, kind, key } = main.task;
  const told = events.find((event) => event.type === "message.added" && event.dialog === main.dialog);
  const description = told?.type === "message.added" ? told.content : "";
  const last = events.findLast(
    (event) => event.type === "task.reported" || (event.type === "message.added" && event.dialog === main.dialog),
  );
  const by = main.by ?? "unknown";
  return [
    { type: "task.created", task, kind, title: main.title, description, ...(key !== undefined && { key }), dependsOn: [], by },
    { type: "task.taken", task, agent: main.agent, dialog: rootId },
    ...(last?.type !== "task.reported"
      ? []
      : last.status === "success" && !last.asks
        ? [{ type: "task.closed", task, summary: last.summary } as const]
        : [{ type: "task.released", task, why: last.summary, ...(!last.asks && { failed: true }) } as const]),
  ];
}
