import type { Project } from "@colloquy/library";
import type { queries, requests, RootId, TreeEvent } from "@colloquy/schema";
import type { z } from "zod";
import { Problem } from "../http/problem.ts";
import { dialogRow } from "../live/feed.ts";
import { recordedOf } from "../recorded.ts";
import { projectStream, treeStream } from "../http/event-stream.ts";
import { type Asked, projectOf } from "./context.ts";

type Body<Name extends keyof typeof requests> = (typeof requests)[Name] extends z.ZodType ? z.output<(typeof requests)[Name]> : never;
type Query<Name extends keyof typeof queries> = z.output<(typeof queries)[Name]>;

const dialogOf = async (asked: Asked) => {
  const { project } = projectOf(asked);
  return { project, where: await project.dialogs.address(asked.params.id ?? "") };
};

export const signedBy = ({ caller, body }: Asked): { readonly by: string; readonly msgId?: string } => {
  const { msgId } = (body ?? {}) as { msgId?: string };
  return { by: caller.user, ...(msgId !== undefined && { msgId }) };
};

export function dialogs(asked: Asked<Query<"DialogsQuery">>) {
  const { project } = projectOf(asked);
  const { status, after, limit } = asked.query;
  const entries = project.dialogs.list({
    limit: limit + 1,
    ...(status && { status }),
    ...(after !== undefined && { after: after as RootId }),
  });
  const page = entries.slice(0, limit);
  const last = entries.length > limit ? page.at(-1)?.rootId : undefined;
  return {
    dialogs: page.map((entry) => dialogRow(entry, project.dialogs.damageOf(entry.rootId))),
    ...(last !== undefined && { next: last }),
  };
}

export async function createDialog(asked: Asked<unknown, Body<"CreateDialog">>) {
  const { project } = projectOf(asked);
  return create(project, asked.caller.user, asked.body);
}

export async function create(
  project: Project,
  by: string,
  { agentId, content, title, taskDocPath, msgId, images, ...rest }: Body<"CreateDialog">,
) {
  const made = await project.dialogs.create({
    content,
    by,
    msgId,
    ...(agentId !== undefined && { agent: agentId }),
    ...(title !== undefined && { title }),
    ...(taskDocPath !== undefined && { taskDocPath }),
    ...imagesOf(images),
    ...addressing(rest),
  });
  return { rootId: made.id, selfId: made.id, seq: made.seq };
}

export const dialog = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.view(where);
};

export const row = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  const entry = project.dialogs.entry(where.rootId);
  if (!entry) throw new Problem("not_found", `There is no dialog ${where.selfId}.`);
  return dialogRow(entry, project.dialogs.damageOf(entry.rootId));
};

/** Whoever asks leaves, or has waited long enough: what was waited for is let go of. */
export async function quiet(asked: Asked<Query<"QuietQuery">>) {
  const { project, where } = await dialogOf(asked);
  const signal = AbortSignal.any([asked.request.signal, AbortSignal.timeout(asked.query.within)]);
  const isQuiet = await project.dialogs.quiet(where.rootId, signal);
  return { isQuiet, seq: (await project.dialogs.view(where)).seq };
}

export const matching = async (asked: Asked<Query<"MatchingQuery">>) => ({
  found: await projectOf(asked).project.locate(asked.query.digits, asked.query.limit),
});

export const tree = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  const whole = await project.dialogs.tree(where.rootId);
  return nodeAt(whole, where.selfId) ?? whole;
};

type DialogNode = Awaited<ReturnType<Project["dialogs"]["tree"]>>;
const nodeAt = (node: DialogNode, selfId: string): DialogNode | undefined => {
  if (node.selfId === selfId) return node;
  for (const child of node.children) {
    const found = nodeAt(child, selfId);
    if (found) return found;
  }
  return undefined;
};

/** Lines that are read at once, and events that one request looks through at most. */
const MAX_LINES = 256;
const MAX_LINES_READ = 10_000;

/** Pages go forward from `after`, or with `before` alone backward; `next` is the place to go on from in the same direction. */
export async function events(asked: Asked<Query<"EventsQuery">>) {
  const { project, where } = await dialogOf(asked);
  const isMain = (where.selfId as string) === (where.rootId as string);
  // What it is asked stands in the asker's dialog, and belongs to both.
  const fits = (event: TreeEvent) => isMain || event.dialog === where.selfId || (event.type === "ask.opened" && event.to === where.selfId);
  const { after, before = Infinity, limit } = asked.query;
  const isBackward = after === undefined && before !== Infinity;
  if (isBackward) return eventsBefore(project, where.rootId, before, limit, fits);
  const found = [];
  let cursor = after ?? 0;
  for (let looked = 0; looked < MAX_LINES_READ;) {
    const lines = await project.dialogs.events(where.rootId, cursor, MAX_LINES);
    for (const one of lines.flatMap((line) => recordedOf(where.rootId, line))) {
      looked++;
      if (one.seq <= cursor) continue;
      if (one.seq >= before) return { events: found };
      if (found.length === limit) return { events: found, next: String(cursor) };
      cursor = one.seq;
      if (fits(one.event)) found.push(one);
    }
    if (lines.length < MAX_LINES) return { events: found };
  }
  return { events: found, next: String(cursor) };
}

async function eventsBefore(project: Project, rootId: RootId, before: number, limit: number, fits: (event: TreeEvent) => boolean) {
  let found: ReturnType<typeof recordedOf> = [];
  let to = before;
  for (let looked = 0; to > 1 && looked < MAX_LINES_READ;) {
    const from = Math.max(0, to - 1 - Math.max(limit, MAX_LINES));
    const end = to;
    const lines = await project.dialogs.events(rootId, from, end - from);
    const some = lines.flatMap((line) => recordedOf(rootId, line)).filter((one) => one.seq > from && one.seq < end);
    looked += some.length;
    found = [...some.filter((one) => fits(one.event)), ...found];
    to = from + 1;
    if (found.length >= limit) {
      const page = found.slice(-limit);
      const first = page[0]?.seq ?? to;
      return { events: page, ...(first > 1 && { next: String(first) }) };
    }
  }
  return { events: found, ...(to > 1 && { next: String(to) }) };
}

export async function stream(asked: Asked<Query<"StreamQuery">>) {
  const { where } = await dialogOf(asked);
  return treeStream(projectOf(asked), where, asked.request, asked.query.after);
}

export const feed = (asked: Asked<Query<"StreamQuery">>) => projectStream(projectOf(asked), asked.request, asked.query.after);

export const rename = async (asked: Asked<unknown, Body<"Rename">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.rename(where, asked.body.title, signedBy(asked));
};

export const send = async (asked: Asked<unknown, Body<"SendMessage">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.send(where, { ...messageOf(asked.body), ...signedBy(asked) });
};

/** What is under a name never changes: it may be kept for good, by whoever may see it. */
export const image = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  const { name = "" } = asked.params;
  const found = await project.dialogs.image(where, name);
  if (!found) throw new Problem("not_found", `There is no image ${name}.`);
  return new Response(Buffer.from(found.data), {
    headers: { "content-type": found.mediaType, "cache-control": "private, max-age=31536000, immutable" },
  });
};

type Addressing = Pick<Body<"SendMessage">, "mentions" | "sessionId">;
const addressing = ({ mentions, sessionId }: Addressing) => ({
  ...(mentions !== undefined && { mentions }),
  ...(sessionId !== undefined && { sessionId }),
});

const imagesOf = (images: readonly string[] | undefined) =>
  images === undefined ? {} : { images: images.map((image) => Buffer.from(image, "base64")) };

export const messageOf = ({ content, now, interrupt, images, ...rest }: Omit<Body<"SendMessage">, "msgId">) => ({
  content,
  ...addressing(rest),
  ...imagesOf(images),
  ...(now !== undefined && { now }),
  ...(interrupt !== undefined && { interrupt }),
});

export const stop = async (asked: Asked<unknown, Body<"Stop">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.stop(where, { ...signedBy(asked), ...(asked.body.tree !== undefined && { tree: asked.body.tree }) });
};

type Verb = "resume" | "done" | "archive" | "dead";
const verb = (name: Verb) => async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs[name](where, signedBy(asked));
};
export const resume = verb("resume");
export const done = verb("done");
export const archive = verb("archive");
export const dead = verb("dead");

export const clearMind = async (asked: Asked<unknown, Body<"ClearMind">>) => {
  const { project, where } = await dialogOf(asked);
  const { reminder } = asked.body;
  return project.dialogs.clearMind(where, { ...signedBy(asked), ...(reminder !== undefined && { reminder }) });
};

export const changeMind = async (asked: Asked<unknown, Body<"ChangeMind">>) => {
  const { project, where } = await dialogOf(asked);
  const { selector, content, shown } = asked.body;
  return project.dialogs.changeMind(where, selector, content, { ...signedBy(asked), ...(shown !== undefined && { shown }) });
};

export const phase = async (asked: Asked<unknown, Body<"SetPhase">>) => {
  const { project, where } = await dialogOf(asked);
  const { phase: next, summary, why } = asked.body;
  return project.dialogs.setPhase(where, next, {
    ...signedBy(asked),
    ...(summary !== undefined && { summary }),
    ...(why !== undefined && { why }),
  });
};

export const undo = async (asked: Asked) => projectOf(asked).project.dialogs.undo(asked.params.cid ?? "", signedBy(asked));

export const taskdoc = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.taskdoc(where);
};

export const reminders = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  return { reminders: (await project.dialogs.view(where)).reminders };
};

export const addReminder = async (asked: Asked<unknown, Body<"AddReminder">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.addReminder(where, asked.body.content, signedBy(asked));
};

const reminderOf = ({ params: { rid = "" } }: Asked): number => {
  if (!/^\d{1,9}$/.test(rid)) throw new Problem("not_found", `There is no reminder ${rid}.`);
  return Number(rid);
};

export const updateReminder = async (asked: Asked<unknown, Body<"UpdateReminder">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.changeReminder(where, reminderOf(asked), asked.body.content, signedBy(asked));
};

export const deleteReminder = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.changeReminder(where, reminderOf(asked), undefined, signedBy(asked));
};
