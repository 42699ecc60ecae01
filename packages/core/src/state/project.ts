import {
  type AgentId,
  type Creation,
  type DialogId,
  mainDialogOf,
  type ProjectEvent,
  RootId,
  type TreeEvent,
  unreachable,
  withVisibleControls,
} from "@colloquy/schema";
import { changeDay, type Day } from "../gate/day.ts";
import { type Decision, refuse } from "./decision.ts";
import { unknownAgent } from "../commands/decide-send.ts";
import { hash } from "./hash.ts";
import type { Roster } from "../prompt/rules.ts";
import { mentionsOf } from "../commands/mentions.ts";
import { PersistentMap } from "./persistent-map.ts";
import { type ProjectReceipt, receiptOf, repeatedCommand } from "./project-receipt.ts";
import { applyToSections, noSections, type Sections } from "../tasks/section.ts";
import { applyToTasks, noTasks, type Tasks } from "../tasks/task.ts";
import { isTaskDocPath, taskDocFolder } from "../tasks/taskdoc.ts";
import { headlineOf } from "../commands/title.ts";
import { receiptKey } from "./tree.ts";

/** How long a command is remembered, so that repetitions are recognised. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1000;

/** The fold of the project's own stream: everything that belongs to no single tree. */
export interface Project {
  readonly seq: number;
  /** Commands carried out, by sender and `msgId`. */
  readonly receipts: PersistentMap<ProjectReceipt>;
  readonly grants: readonly ProjectGrant[];
  readonly tasks: Tasks;
  /** Open questions about the sections of the requirements. */
  readonly sections: Sections;
  /** The text of dismissed notices is only in the log. */
  readonly notices: PersistentMap<Notice>;
  /** The last day with any spending. */
  readonly day: Day | undefined;
  /** Deleted trees, so that what refers to one can say so. */
  readonly deleted: PersistentMap<Deletion>;
  /** Questions that outlive their trees; each is in the event that deleted its tree. */
  readonly kept: PersistentMap<KeptQuestion>;
}

export interface KeptQuestion {
  readonly rootId: RootId;
  /** The event. */
  readonly seq: number;
}

export interface Deletion {
  readonly by: string;
  readonly at: number;
}

/** What an agent did without asking, under a rule that only requires it to notify. */
export type Notice = Omit<Extract<ProjectEvent, { type: "notice.given" }>, "type"> & {
  readonly at: number;
  readonly resolvedAt?: number;
};

function noticeOf({ type: _, ...notice }: Extract<ProjectEvent, { type: "notice.given" }>, at: number): Notice {
  return { ...notice, at };
}

export interface ProjectGrant {
  readonly id: string;
  readonly pattern: string;
  readonly until: number | undefined;
  readonly by: string;
  readonly at: number;
  /** Where it applies: this tree, or this dialog in it; everywhere if absent. */
  readonly rootId: RootId | undefined;
  readonly dialog: DialogId | undefined;
}

export const emptyProject = (): Project => ({
  seq: 0,
  receipts: PersistentMap.empty(),
  grants: [],
  tasks: noTasks(),
  sections: noSections(),
  notices: PersistentMap.empty(),
  day: undefined,
  deleted: PersistentMap.empty(),
  kept: PersistentMap.empty(),
});

export function applyToProject(project: Project, event: ProjectEvent, at: number): Project {
  const counted = { ...project, seq: project.seq + 1, receipts: receiptsWith(project, event, at) };
  switch (event.type) {
    case "grant.given": {
      const { grant: id, pattern, until, by, rootId, dialog } = event;
      return { ...counted, grants: [...project.grants, { id, pattern, until, by, at, rootId, dialog }] };
    }
    case "grant.revoked":
      return { ...counted, grants: project.grants.filter((grant) => grant.id !== event.grant) };
    case "task.created":
    case "task.changed":
    case "task.taken":
    case "task.released":
    case "task.closed":
    case "task.retried":
      return { ...counted, tasks: applyToTasks(project.tasks, event, at) };
    case "section.asked":
    case "section.settled":
      return { ...counted, sections: applyToSections(project.sections, event) };
    case "notice.given":
      return { ...counted, notices: project.notices.set(event.notice, noticeOf(event, at)) };
    case "notice.resolved": {
      const notice = project.notices.get(event.notice);
      return notice ? { ...counted, notices: project.notices.set(event.notice, { ...notice, text: "", resolvedAt: at }) } : counted;
    }
    case "day.spent":
    case "day.asked":
    case "day.decided":
      return { ...counted, day: changeDay(project.day, event) };
    case "tree.created":
      // A deleted tree that was imported again.
      return project.deleted.has(event.rootId) ? withTreeAgain(counted, event.rootId) : counted;
    case "tree.deleted":
      return withoutTree(counted, event, at);
    case "nostr.signed":
      return counted;
    default:
      return unreachable(event);
  }
}

function withTreeAgain(project: Project, rootId: RootId): Project {
  const kept = [...project.kept.entries()].filter(([, question]) => question.rootId !== rootId);
  return { ...project, deleted: project.deleted.delete(rootId), kept: PersistentMap.from(kept) };
}

/** What was agreed in a tree ends with it. */
function withoutTree(
  project: Project,
  { rootId, by, questions = [] }: Extract<ProjectEvent, { type: "tree.deleted" }>,
  at: number,
): Project {
  const kept = [...project.notices.entries()].filter(([, notice]) => notice.rootId !== rootId);
  return {
    ...project,
    grants: project.grants.filter((grant) => grant.rootId !== rootId),
    notices: kept.length < project.notices.size ? PersistentMap.from(kept) : project.notices,
    deleted: project.deleted.set(rootId, { by, at }),
    kept: questions.reduce((all, { id }) => all.set(id, { rootId, seq: project.seq }), project.kept),
  };
}

function receiptsWith({ receipts }: Project, event: ProjectEvent, at: number): Project["receipts"] {
  if (!("msgId" in event) || event.msgId === undefined) return receipts;
  const id = "rootId" in event ? event.rootId : "task" in event ? event.task : "grant" in event ? event.grant : event.notice;
  return receipts.set(receiptKey(event.by ?? "", event.msgId), { id, hash: event.hash ?? "", at });
}

/** Drops expired grants, and receipts too old to be repeated. Used for snapshots; folding never forgets by the clock. */
export function withoutOld(project: Project, nowMs: number): Project {
  const kept = [...project.receipts.entries()].filter(([, receipt]) => nowMs - receipt.at < REMEMBERED_MS);
  const grants = project.grants.filter(({ until }) => until === undefined || until > nowMs);
  return { ...project, receipts: PersistentMap.from(kept), grants };
}

/** A tree's first event is its creation, the second its first message. */
const FIRST_MESSAGE_SEQ = 2;

export interface NewTree {
  readonly rootId: RootId;
  /** The responsible agent, if the creation names none and its message addresses none. */
  readonly agent: AgentId;
  readonly team: Roster;
}

export type CreationDecision =
  | { readonly kind: "made"; readonly project: readonly ProjectEvent[]; readonly tree: readonly TreeEvent[]; readonly seq: number }
  /** Created earlier: the sender repeats its command. */
  | { readonly kind: "known"; readonly rootId: RootId; readonly seq: number }
  | { readonly kind: "refused"; readonly refusal: Extract<Decision<never>, { ok: false }>["refusal"] };

/** Creates a main dialog with its first message: one commit to the project's stream and the new tree's. */
export function decideCreation(project: Project, creation: Creation, made: NewTree): CreationDecision {
  const listed = creation.mentions?.join(",") ?? "";
  // An image's name is derived from its content.
  const pictures = (creation.images ?? []).map(({ name }) => ` ${name}`).join("");
  const fingerprint = hash(
    `create ${creation.agent ?? ""} ${listed} ${creation.title ?? ""} ${creation.taskDocPath ?? ""} ${creation.content}${pictures}`,
  );
  const repeated = repeatedCommand(project, creation, fingerprint);
  if (repeated?.ok) return { kind: "known", rootId: RootId.parse(repeated.id), seq: FIRST_MESSAGE_SEQ };
  if (repeated) return { kind: "refused", refusal: repeated.refusal };
  if (creation.taskDocPath !== undefined && !isTaskDocPath(creation.taskDocPath)) {
    return {
      kind: "refused",
      refusal: refuse(
        "bad_request",
        `"${withVisibleControls(creation.taskDocPath.slice(0, 200))}" is no Taskdoc: it must be a folder *.tsk/ inside the project.`,
      ).refusal,
    };
  }
  if (creation.content.trim() === "") return { kind: "refused", refusal: refuse("empty_content", "A message needs some text.").refusal };
  const mentioned = mentionsOf(creation.content, creation.mentions, made.team);
  if ("unknown" in mentioned) return { kind: "refused", refusal: unknownAgent(mentioned.unknown, made).refusal };
  // The first agent addressed is responsible, unless the creation names one.
  const agent = creation.agent ?? mentioned.agents?.[0] ?? made.agent;
  const to = [...(mentioned.agents ?? [agent])];

  const here = { dialog: mainDialogOf(made.rootId), course: 1 };
  const tree: TreeEvent[] = [
    {
      type: "dialog.created",
      ...here,
      agent,
      title: creation.title?.trim() || headlineOf(creation.content),
      taskDocPath: taskDocFolder(creation.taskDocPath ?? `tasks/${made.rootId}.tsk/`),
      by: creation.by,
    },
    {
      type: "message.added",
      ...here,
      by: creation.by,
      content: creation.content,
      to,
      ...(to.length > 0 && { opens: to }),
      ...(creation.images && creation.images.length > 0 && { images: creation.images }),
      ...(creation.sessionId !== undefined && { sessionId: creation.sessionId }),
      ...(creation.trace !== undefined && { trace: creation.trace }),
    },
  ];
  const created: ProjectEvent = {
    type: "tree.created",
    rootId: made.rootId,
    by: creation.by,
    ...receiptOf(creation, fingerprint),
  };
  return { kind: "made", project: [created], tree, seq: FIRST_MESSAGE_SEQ };
}
