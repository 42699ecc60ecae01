import type { Project } from "@colloquy/library";
import { type queries, type requests, type RootId, Refused } from "@colloquy/schema";
import type { z } from "zod";
import { dialogRow } from "../live/feed.ts";
import { projectStream, type StreamReader, treeStream } from "../http/event-stream.ts";
import { type Asked, projectOf } from "./context.ts";
import { pageAfter, pageBefore } from "./event-pages.ts";

type Body<Name extends keyof typeof requests> = (typeof requests)[Name] extends z.ZodType ? z.output<(typeof requests)[Name]> : never;
type Query<Name extends keyof typeof queries> = z.output<(typeof queries)[Name]>;

export const dialogOf = async (asked: Asked) => {
  const { project } = projectOf(asked);
  return { project, where: await project.dialogs.address(asked.params.id ?? "") };
};

export const signedBy = (asked: Asked): { readonly by: string; readonly msgId?: string } => {
  const { msgId } = (asked.body ?? {}) as { msgId?: string };
  return { by: asked.caller.nameIn(projectOf(asked).id), ...(msgId !== undefined && { msgId }) };
};

/** The caller's span, if its request names one. */
function tracedBy({ request }: Asked): { readonly trace?: string } {
  const trace = request.headers.get("traceparent");
  return trace === null ? {} : { trace };
}

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
  const { project, id } = projectOf(asked);
  return create(project, asked.caller.nameIn(id), { ...asked.body, ...tracedBy(asked) });
}

export async function create(
  project: Project,
  by: string,
  { agentId, rootId, content, title, taskDocPath, msgId, images, trace, ...rest }: Body<"CreateDialog"> & { readonly trace?: string },
) {
  const made = await project.dialogs.create({
    content,
    by,
    msgId,
    ...(rootId !== undefined && { id: rootId }),
    ...(agentId !== undefined && { agent: agentId }),
    ...(title !== undefined && { title }),
    ...(trace !== undefined && { trace }),
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

export async function snapshot(asked: Asked<Query<"SnapshotQuery">>) {
  const { project, where } = await dialogOf(asked);
  const folded = await project.dialogs.snapshot(where);
  return { ...folded, ...(await pageBefore(project, where, { before: folded.seq + 1, limit: asked.query.limit })) };
}

export const row = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  const entry = project.dialogs.entry(where.rootId);
  if (!entry) throw new Refused({ code: "not_found", message: `There is no dialog ${where.selfId}.` });
  return dialogRow(entry, project.dialogs.damageOf(entry.rootId));
};

/** Stops waiting when the client disconnects or the timeout has passed. */
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

/** Pages go forward from `after`, or backward with `before` alone; `next` continues in the same direction. */
export async function events(asked: Asked<Query<"EventsQuery">>) {
  const { project, where } = await dialogOf(asked);
  const { after, before, limit } = asked.query;
  if (after === undefined && before !== undefined) return pageBefore(project, where, { before, limit });
  return pageAfter(project, where, { after: after ?? 0, before: before ?? Infinity, limit });
}

export async function stream(asked: Asked<Query<"StreamQuery">>) {
  const { where } = await dialogOf(asked);
  return treeStream(projectOf(asked), where, readerOf(asked));
}

export const feed = (asked: Asked<Query<"StreamQuery">>) => projectStream(projectOf(asked), readerOf(asked));

function readerOf(asked: Asked<Query<"StreamQuery">>): StreamReader {
  const { request, caller, query } = asked;
  const { id } = projectOf(asked);
  return { request, after: query.after, mayRead: () => caller.roleIn(id) !== undefined };
}

export const rename = async (asked: Asked<unknown, Body<"Rename">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.rename(where, asked.body.title, signedBy(asked));
};

export const send = async (asked: Asked<unknown, Body<"SendMessage">>) => {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.send(where, { ...messageOf(asked.body), ...tracedBy(asked), ...signedBy(asked) });
};

export async function compare(asked: Asked<Query<"CompareQuery">>) {
  const { project, where } = await dialogOf(asked);
  return project.dialogs.compare(where, asked.query.with);
}

export async function fork(asked: Asked<unknown, Body<"Fork">>) {
  const { project, where } = await dialogOf(asked);
  const { at, answer } = asked.body;
  const made = await project.dialogs.fork(where, { ...signedBy(asked), at, answer });
  return { rootId: made.id };
}

/** A blob's content never changes, so browsers may cache it forever, privately. */
export const image = async (asked: Asked) => {
  const { project, where } = await dialogOf(asked);
  const { name = "" } = asked.params;
  const found = await project.dialogs.image(where, name);
  if (!found) throw new Refused({ code: "not_found", message: `There is no image ${name}.` });
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

export const deleteDialog = async (asked: Asked) => {
  const { project } = projectOf(asked);
  // One that is gone may be deleted again, by a sender that repeats its command.
  await project.dialogs.delete(asked.params.id ?? "", signedBy(asked));
  return {};
};

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
  if (!/^\d{1,9}$/.test(rid)) throw new Refused({ code: "not_found", message: `There is no reminder ${rid}.` });
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
