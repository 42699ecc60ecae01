import { z } from "zod";
import { AutonomyConfig, Permission } from "./settings/autonomy.ts";
import { DialogRow, Reminder } from "./wire/dialog-view.ts";
import { EffectView } from "./effect.ts";
import { TreeEvent } from "./events.ts";
import { CallId, DialogAddress, DialogId, QuestionId, RootId } from "./ids.ts";
import { Notification } from "./notification.ts";
import { Usage } from "./message-parts.ts";
import { TaskKind, TaskView } from "./task.ts";
import { QuestionView } from "./question.ts";
import { WireErrorCode } from "./wire/wire-error.ts";

/** Pass `next` as `after` to get the next page; absent on the last page. */
const next = z.string().optional();
const seq = z.number().int().nonnegative();

export const Health = z.strictObject({
  status: z.enum(["ok", "refusing", "stopping"]),
  version: z.string(),
  why: z.string().optional(),
  /** The background check of the logs: how many trees, and how many findings. `at`: when the last round ended. */
  checked: z.strictObject({ trees: z.number().int(), findings: z.number().int(), at: z.string().optional() }),
  /** What was found; to people of the project alone. */
  findings: z.array(z.string()).optional(),
});

/** A process that shares a project with others. `trees`: how many it drives. `alive`: its lease is valid. */
export const NodeRow = z
  .strictObject({
    id: z.string(),
    url: z.string().optional(),
    place: z.string(),
    version: z.string().optional(),
    since: z.string(),
    trees: z.number().int(),
    alive: z.boolean(),
  })
  .meta({ id: "Node" });
export const NodeList = z.strictObject({ nodes: z.array(NodeRow) });

/** `questions`: how many are open; `running`: how many trees are at work. */
export const ProjectRow = z
  .strictObject({ id: z.string(), name: z.string(), questions: z.number().int(), running: z.number().int() })
  .meta({ id: "Project" });
export const ProjectRows = z.array(ProjectRow);

export const DialogList = z.strictObject({ dialogs: z.array(DialogRow), next });
export const QuestionList = z.strictObject({ questions: z.array(QuestionView), next });
export const NotificationList = z.strictObject({ notifications: z.array(Notification), next });

/** An event with its position. `last`: the last event of its commit, which is applied as a whole or not at all. */
export const Recorded = z
  .strictObject({
    seq,
    pos: seq,
    at: z.string(),
    dialog: DialogAddress,
    event: TreeEvent,
    last: z.boolean(),
  })
  .meta({ id: "Recorded" });
export interface Recorded extends z.infer<typeof Recorded> {}
export const EventList = z.strictObject({ events: z.array(Recorded), next });

/**
 * A dialog's tree, folded by the server, with its newest events. Continuing the fold from here gives the same tree as folding the whole
 * log. `reducer`: the version of the rules that folded it; a reader with another version folds the events from the beginning instead.
 */
export const DialogSnapshot = z
  .strictObject({
    dialog: DialogAddress,
    reducer: z.number().int(),
    seq,
    /** The tree as in the store's snapshots, without the receipts of commands. */
    state: z.unknown(),
    /** Texts of asks and answers in delegations that have not ended, by the `seq` of the event. */
    sayings: z.array(z.tuple([seq, z.string()])),
    /** Some process is working on the tree. */
    isDriven: z.boolean(),
    /** The known context windows of the team's models, in tokens; and the shares at which an agent is warned, and starts a new course. */
    context: z.strictObject({ windows: z.record(z.string(), z.number()), soft: z.number(), hard: z.number() }),
    /** The newest events, oldest first; pass `next` as `before` to get the page before them. */
    events: z.array(Recorded),
    next,
  })
  .meta({ id: "DialogSnapshot" });
export interface DialogSnapshot extends z.infer<typeof DialogSnapshot> {}

export const Created = DialogAddress.extend({ seq });
/** A new tree that was made from another one. */
export const Copied = z.object({ rootId: RootId });
/** Dialogs from a file: their ids there, and here. */
export const ImportedList = z.object({ dialogs: z.array(z.object({ from: RootId, rootId: RootId })) });
/** The question, and its page if the server has one. */
export const AskedPeople = z.object({ questionId: QuestionId, rootId: RootId, seq, url: z.string().optional() });
/** The command is durable; `seq` is its position. `ack`: the acknowledgement of a busy agent. */
export const Done = z.strictObject({ seq, ack: z.string().optional() });
/** A call was undone: the first paths and the number of further ones, or what its tool said. */
export const Undone = z.strictObject({
  seq,
  call: CallId,
  dialog: DialogAddress,
  paths: z.array(z.string()),
  more: z.number().int().nonnegative(),
  output: z.string().optional(),
});
export const Gone = z.strictObject({});

/** `isQuiet`: no turn of the tree may step and none is in flight; `seq`: the end of its log. */
export const Quiet = z.strictObject({ isQuiet: z.boolean(), seq });

/** The dialogs and questions whose id has some digits; several if the digits are ambiguous. */
export const MatchingList = z.strictObject({
  found: z.array(
    z.discriminatedUnion("kind", [
      DialogAddress.extend({ kind: z.literal("dialog") }),
      z.strictObject({ kind: z.literal("question"), rootId: RootId, question: QuestionId }),
    ]),
  ),
});

export const ReminderList = z.strictObject({ reminders: z.array(Reminder) });

const Section = z.strictObject({ text: z.string(), shown: z.string() });
export const TaskdocView = z.strictObject({
  path: z.string(),
  sections: z.strictObject({ goals: Section.optional(), constraints: Section.optional(), progress: Section.optional() }),
});

export const MemoryView = z.strictObject({
  /** By path below `memory/`, such as `team/style.md` or `agents/coder/notes.md`. */
  documents: z.array(z.strictObject({ path: z.string(), text: z.string(), shown: z.string() })),
});

/** The project on Nostr, while its server is connected to relays. */
export const NostrView = z.strictObject({
  /** Public keys of agents, by id, and of the project, whose name is empty. */
  keys: z.array(z.strictObject({ name: z.string(), npub: z.string() })),
  relays: z.array(
    z.strictObject({
      url: z.string(),
      isConnected: z.boolean(),
      /** Why there is no connection. */
      why: z.string().optional(),
      /** Events that it has not accepted yet, and events that it will never accept. */
      waiting: z.number().int(),
      refused: z.number().int(),
    }),
  ),
  /** Events since the server started: accepted, and refused by reason. */
  counts: z.record(z.string(), z.number().int()),
  /** What became of the accepted ones. */
  handled: z.record(z.string(), z.number().int()),
});
export type NostrView = z.infer<typeof NostrView>;

/** The effective settings, without secrets. They are edited in `colloquy.yaml`. */
export const SettingsView = z.strictObject({
  language: z.enum(["en", "zh"]),
  agents: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      model: z.string().optional(),
      tools: z.array(z.string()),
      isDefault: z.boolean(),
      /** The kinds of tasks that it takes. */
      handles: z.array(TaskKind),
      /** The first paragraph of its role prompt. */
      role: z.string(),
    }),
  ),
  models: z.array(z.strictObject({ name: z.string(), provider: z.string(), id: z.string(), contextWindow: z.number().optional() })),
  defaultModel: z.string().optional(),
  /** Why an agent cannot work (a missing key, an unknown model), and what to do. */
  problems: z.array(z.strictObject({ agentId: z.string(), message: z.string() })),
  /** MCP servers. `why`: the reason if it is unavailable; `changed`: files that changed since it last ran, which an owner must allow. */
  servers: z.array(z.strictObject({ name: z.string(), state: z.string(), why: z.string().optional(), changed: z.array(z.string()) })),
  autonomy: AutonomyConfig,
  permissions: z.record(z.string(), Permission),
  limits: z.record(z.string(), z.number()),
  context: z.strictObject({ soft: z.number(), hard: z.number() }),
  /** When dialogs that are over are archived and deleted, in milliseconds after their last event; absent: never. */
  retention: z
    .strictObject({ archiveDone: z.number().optional(), deleteArchived: z.number().optional(), keepQuestions: z.boolean() })
    .optional(),
  users: z.array(z.strictObject({ name: z.string(), role: z.string() })),
  notices: z.array(z.string()),
  /** While `limits.costPerDay` is spent: the open question about it, if any, and when work resumes by itself. */
  spentDay: z.strictObject({ question: QuestionId.optional(), until: z.string() }).optional(),
  /** The address of a trace's page; it contains `{traceId}`. */
  tracePage: z.string().optional(),
  /** The state of trace export, while it is on. `behind`: commits whose spans are not accepted yet; `failing`: the last error. */
  traces: z.strictObject({ sentSpans: z.number().int(), behind: z.number().int(), failing: z.string().optional() }).optional(),
  nostr: NostrView.optional(),
});

export const ModelTestView = z.strictObject({
  /** It answered, and called the tool as asked. */
  ok: z.boolean(),
  /** What works; or what does not, and what to do. */
  message: z.string(),
  callsTools: z.boolean(),
  ms: z.number(),
  usage: Usage.optional(),
});

export const UsageRowView = z.strictObject({
  key: z.string(),
  steps: z.number(),
  input: z.number(),
  output: z.number(),
  cachedInput: z.number(),
  cost: z.number().optional(),
  unpriced: z.number(),
  estimated: z.number(),
});
/** `unread`: dialogs that are left out because their log cannot be read. */
export const UsageView = z.strictObject({ by: z.string(), rows: z.array(UsageRowView), unread: z.array(RootId) });

export const TaskList = z.strictObject({ tasks: z.array(TaskView), next });

/** `rootId`, `dialog`: where it applies; without them, in the whole project. */
export const GrantView = z.strictObject({
  id: z.string(),
  pattern: z.string(),
  rootId: RootId.optional(),
  dialog: DialogId.optional(),
  until: z.string().optional(),
  by: z.string(),
  at: z.string(),
});
export const GrantList = z.strictObject({ grants: z.array(GrantView) });

/** What became of each question of a notification; some may stay open. */
export const NotificationOutcome = z.strictObject({
  outcomes: z.array(
    z.strictObject({
      questionId: z.string(),
      seq: seq.optional(),
      error: z.strictObject({ code: WireErrorCode, message: z.string() }).optional(),
    }),
  ),
  notification: Notification,
});

export const SearchHit = z.strictObject({
  rootId: RootId,
  selfId: DialogId,
  title: z.string(),
  /** The event with the matching text; absent if the title matches. */
  seq: seq.optional(),
  at: z.string(),
  by: z.string(),
  /** The match, between `⟦` and `⟧`, with the text around it. */
  snippet: z.string(),
  questionId: QuestionId.optional(),
});
export interface SearchHit extends z.infer<typeof SearchHit> {}
/** `isComplete`: the ledger has caught up with the logs. */
export const EffectList = z.strictObject({ effects: z.array(EffectView), next: z.string().optional(), isComplete: z.boolean() });
export const FileList = z.strictObject({ files: z.array(z.string()) });
/** `isComplete`: the index has caught up with the logs. */
export const SearchView = z.strictObject({ hits: z.array(SearchHit), isComplete: z.boolean() });

/** `page`: its path in the web app. */
export const LocatedView = z.strictObject({
  project: z.string(),
  dialog: DialogAddress,
  questionId: QuestionId.optional(),
  page: z.string(),
});

/** `page`: the page's half of the session. The other half is in the response's cookie. */
export const SignedIn = z.strictObject({ user: z.string(), page: z.string() });
export const NewLink = z.strictObject({ token: z.string() });
export const SessionList = z.strictObject({
  sessions: z.array(z.strictObject({ user: z.string(), since: z.string(), lastUsed: z.string() })),
});
/** The sender of the request, so that a page can show what its user may do. */
export const Me = z.strictObject({ user: z.string(), role: z.string() });
