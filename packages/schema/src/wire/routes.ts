import type { z } from "zod";
import * as answers from "../answers.ts";
import { Comparison } from "./comparison.ts";
import { DialogRow, DialogView, TreeNode } from "./dialog-view.ts";
import * as queries from "./queries.ts";
import { TaskAutonomy, TaskView } from "../task.ts";
import { QuestionView } from "../question.ts";
import * as requests from "./requests.ts";
import type { Role } from "../settings/role.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A route of the HTTP API. The server answers by this table, and the reference is made from it. */
export interface Route {
  readonly name: string;
  readonly method: Method;
  /** Below `/api`; `:pid` is a project. */
  readonly path: string;
  /** Who may use it; `nobody`: no token is asked for. */
  readonly needs: Role | "nobody";
  readonly about: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly status: number;
  /** Absent for streams. */
  readonly answer?: z.ZodType;
  /** The body is not JSON, but a file of this type. */
  readonly takes?: FileType;
  /** So is the answer. */
  readonly gives?: FileType;
}

type FileType = typeof DIALOG_FILE;
/** A file of dialogs, as `export` makes it. */
export const DIALOG_FILE = "application/gzip";

type Given = Partial<Pick<Route, "query" | "body" | "status" | "needs" | "answer" | "takes" | "gives">>;
const route = <Name extends string>(name: Name, place: `${Method} ${string}`, about: string, given: Given) => {
  const [method, path] = place.split(" ") as [Method, string];
  return {
    name,
    method,
    path,
    about,
    needs: method === "GET" ? "viewer" : "member",
    status: 200,
    ...given,
  } as Route & {
    readonly name: Name;
  };
};

const P = "/projects/:pid";
const D = `${P}/dialogs/:id`;
const Q = `${P}/questions/:qid`;

/** Carries the page's half of a browser's session; the other half is in the cookie. */
export const SESSION_HEADER = "x-colloquy-session";

/** How browsers are signed in and tokens replaced. These belong to the server, not to an API that is embedded elsewhere. */
export const SIGN_IN_ROUTES = [
  route("signIn", "POST /session", "Signs a browser in; the answer sets its cookie. A link does so once.", {
    answer: answers.SignedIn,
    body: requests.SignIn,
    needs: "nobody",
  }),
  route("signOut", "DELETE /session", "Signs this browser out.", { answer: answers.Gone, needs: "nobody" }),
  route("sessions", "GET /sessions", "Browsers that are signed in.", { answer: answers.SessionList, needs: "owner" }),
  route("newLink", "POST /links", "A new link for one browser of the owner: `URL/#token=TOKEN`.", {
    answer: answers.NewLink,
    needs: "owner",
  }),
  route("rotateToken", "POST /token", "Replaces the server's own token. Browsers and programs with the old one are out.", {
    answer: answers.NewLink,
    needs: "owner",
  }),
] as const;

/** Every route that is built. */
export const ROUTES = [
  route("health", "GET /health", "Whether the server is up and accepts writes.", { answer: answers.Health, needs: "nobody" }),
  route("me", "GET /me", "The user and role of the token.", { answer: answers.Me }),
  route("nodes", "GET /nodes", "The processes that share a project in a database; none for projects in their folders.", {
    answer: answers.NodeList,
  }),
  route("projects", "GET /projects", "The projects that are served.", { answer: answers.ProjectRows }),

  route("feed", `GET ${P}/stream`, "Events of the whole project, live, as SSE. `Last-Event-ID` resumes; the last commit is sent again.", {
    query: queries.StreamQuery,
  }),
  route("locate", "GET /locate", "What some digits of an id name: a dialog or a question.", {
    answer: answers.LocatedView,
    query: queries.LocateQuery,
  }),

  route("dialogs", `GET ${P}/dialogs`, "Main dialogs, newest first.", { answer: answers.DialogList, query: queries.DialogsQuery }),
  route("createDialog", `POST ${P}/dialogs`, "A new main dialog.", { answer: answers.Created, body: requests.CreateDialog, status: 201 }),
  route("dialog", `GET ${D}`, "A dialog, main or side.", { answer: DialogView }),
  route("rename", `PATCH ${D}`, "Gives it another title.", { answer: answers.Done, body: requests.Rename }),
  route("snapshot", `GET ${D}/snapshot`, "Its tree, folded, with the newest events: what a page needs to open it.", {
    answer: answers.DialogSnapshot,
    query: queries.SnapshotQuery,
  }),
  route("row", `GET ${D}/row`, "The main dialog of its tree, as in the list.", { answer: DialogRow }),
  route("quiet", `GET ${D}/quiet`, "Waits until its tree is idle.", { answer: answers.Quiet, query: queries.QuietQuery }),
  route("tree", `GET ${D}/tree`, "Who waits for whom in its tree.", { answer: TreeNode }),
  route("events", `GET ${D}/events`, "Its events; a main dialog's are those of its whole tree.", {
    answer: answers.EventList,
    query: queries.EventsQuery,
  }),
  route("stream", `GET ${D}/stream`, "Events of its tree as they come, as SSE. `id:` is the `seq`; `Last-Event-ID` resumes.", {
    query: queries.StreamQuery,
  }),
  route("send", `POST ${D}/messages`, "A message.", { answer: answers.Done, body: requests.SendMessage, status: 202 }),
  route("image", `GET ${D}/images/:name`, "An image of a message or a result of its tree, unchanged.", {}),
  route("stop", `POST ${D}/stop`, "Stops it until it is resumed.", { answer: answers.Done, body: requests.Stop }),
  route("resume", `POST ${D}/resume`, "Resumes it.", { answer: answers.Done, body: requests.Plain }),
  route("done", `POST ${D}/done`, "Marks it as done; a message reopens it.", { answer: answers.Done, body: requests.Plain }),
  route("archive", `POST ${D}/archive`, "Archives it for good.", { answer: answers.Done, body: requests.Plain, needs: "owner" }),
  route("deleteDialog", `DELETE ${D}`, "Deletes a main dialog with everything in it, for good.", {
    answer: answers.Gone,
    body: requests.Plain,
    needs: "owner",
  }),
  route("dead", `POST ${D}/dead`, "Gives up a side dialog that will not answer, and tells the dialogs waiting for it.", {
    answer: answers.Done,
    body: requests.Plain,
    needs: "owner",
  }),
  route("fork", `POST ${D}/fork`, "A copy of its tree up to the event `at`, stopped; with `answer`, a what-if that works on.", {
    answer: answers.Copied,
    body: requests.Fork,
    status: 201,
  }),
  route("compare", `GET ${D}/compare`, "Its tree beside another one: what they share, and what differs since they parted.", {
    answer: Comparison,
    query: queries.CompareQuery,
  }),
  route("exportDialog", `GET ${D}/export`, "A file of its whole tree, which `import` takes.", { gives: DIALOG_FILE }),
  route("exportAll", `GET ${P}/export`, "A file of all dialogs as they are at one commit.", { gives: DIALOG_FILE, needs: "owner" }),
  route("backup", `GET ${P}/backup`, "What was committed after `after`: a part of a backup, for `colloquy restore`.", {
    query: queries.BackupQuery,
    gives: DIALOG_FILE,
    needs: "owner",
  }),
  route("importDialogs", `POST ${P}/import`, "Makes the dialogs of such a file, all or none; the body is the file.", {
    answer: answers.ImportedList,
    query: queries.ImportQuery,
    takes: DIALOG_FILE,
    needs: "owner",
    status: 201,
  }),
  route("clearMind", `POST ${D}/clear-mind`, "Starts a new course.", { answer: answers.Done, body: requests.ClearMind }),
  route("changeMind", `POST ${D}/change-mind`, "Replaces a section of the Taskdoc.", { answer: answers.Done, body: requests.ChangeMind }),
  route("phase", `POST ${D}/phase`, "Changes its phase; the same phase with a summary is a hand-off.", {
    answer: answers.Done,
    body: requests.SetPhase,
  }),
  route("taskdoc", `GET ${D}/taskdoc`, "The Taskdoc that its tree reads.", { answer: answers.TaskdocView }),
  route("reminders", `GET ${D}/reminders`, "Reminders that its agent sees in every course.", { answer: answers.ReminderList }),
  route("addReminder", `POST ${D}/reminders`, "A new reminder.", { answer: answers.Done, body: requests.AddReminder }),
  route("updateReminder", `PATCH ${D}/reminders/:rid`, "Changes a reminder.", { answer: answers.Done, body: requests.UpdateReminder }),
  route("deleteReminder", `DELETE ${D}/reminders/:rid`, "Deletes a reminder.", { answer: answers.Done, body: requests.Plain }),

  route("undo", `POST ${P}/calls/:cid/undo`, "Undoes the changes of a command: all of them, or none.", {
    answer: answers.Undone,
    body: requests.Plain,
  }),

  route("effects", `GET ${P}/effects`, "What the team has done: calls with effects, newest first.", {
    answer: answers.EffectList,
    query: queries.EffectsQuery,
  }),
  route("settle", `POST ${P}/calls/:cid/settle`, "Says how a call with an unknown outcome ended.", {
    answer: answers.Done,
    body: requests.Settling,
  }),

  route("matching", `GET ${P}/matching`, "All that some digits of an id name: dialogs of any depth, questions.", {
    answer: answers.MatchingList,
    query: queries.MatchingQuery,
  }),

  route("questions", `GET ${P}/questions`, "Open ones: what frees most work first. Others, and those of one `dialog`: newest first.", {
    answer: answers.QuestionList,
    query: queries.QuestionsQuery,
  }),
  route("askPeople", `POST ${P}/questions`, "A question of an outside program to the project's people.", {
    answer: answers.AskedPeople,
    body: requests.AskPeople,
    status: 201,
  }),
  route("question", `GET ${Q}`, "A question, also one that is closed.", { answer: QuestionView }),
  route("answer", `POST ${Q}/answer`, "Answers it, by a choice, in words, or both.", { answer: answers.Done, body: requests.Answering }),
  route("dismiss", `POST ${Q}/dismiss`, "Closes it without an answer.", { answer: answers.Done, body: requests.Dismissing }),
  route("askBack", `POST ${Q}/ask-back`, "Asks about it; it stays open.", { answer: answers.Done, body: requests.AskingBack }),
  route("approve", `POST ${Q}/approve`, "Approves the call. A standing approval needs an owner.", {
    answer: answers.Done,
    body: requests.Approving,
  }),
  route("deny", `POST ${Q}/deny`, "Denies the call.", { answer: answers.Done, body: requests.Denying }),

  route("notifications", `GET ${P}/notifications`, "Questions that were raised together, newest first.", {
    answer: answers.NotificationList,
    query: queries.NotificationsQuery,
  }),
  route("patchNotification", `PATCH ${P}/notifications/:nid`, "Answers, approves or dismisses its questions.", {
    answer: answers.NotificationOutcome,
    body: requests.NotificationPatch,
  }),

  route("tasks", `GET ${P}/tasks`, "Tasks, oldest first, or `order=current`.", { answer: answers.TaskList, query: queries.TasksQuery }),
  route("createTask", `POST ${P}/tasks`, "A new task. The same `msgId` again gives the same task.", {
    answer: TaskView,
    body: requests.CreateTask,
    status: 201,
  }),
  route("readyTasks", `GET ${P}/tasks/ready`, "Open ones whose dependencies are closed.", { answer: answers.TaskList }),
  route("task", `GET ${P}/tasks/:tid`, "A task, with its history.", { answer: TaskView }),
  route("taskAutonomy", `GET ${P}/tasks/:tid/autonomy`, "How far its agents go by themselves, and where that is set.", {
    answer: TaskAutonomy,
  }),
  route("changeTask", `PATCH ${P}/tasks/:tid`, "Changes a task; `close` says why it is over.", {
    answer: TaskView,
    body: requests.ChangeTask,
  }),

  route("grants", `GET ${P}/grants`, "Standing approvals.", { answer: answers.GrantList }),
  route("revokeGrant", `DELETE ${P}/grants/:gid`, "Revokes a standing approval.", {
    answer: answers.Gone,
    needs: "owner",
    body: requests.Plain,
  }),
  route("settings", `GET ${P}/settings`, "The effective settings, which are edited in `colloquy.yaml`.", { answer: answers.SettingsView }),
  route("testModel", `POST ${P}/models/:name/test`, "Makes one small real call to a model.", {
    answer: answers.ModelTestView,
    body: requests.Plain,
  }),
  route("allowServer", `POST ${P}/servers/:name/allow`, "Allows the changed programs of an MCP server to run.", {
    answer: answers.Gone,
    needs: "owner",
    body: requests.Plain,
  }),
  route("memory", `GET ${P}/memory`, "Notes of the team and its agents.", { answer: answers.MemoryView }),
  route("search", `GET ${P}/search`, "Words in titles and texts, newest first; every word must be there.", {
    answer: answers.SearchView,
    query: queries.SearchQuery,
  }),
  route("files", `GET ${P}/files`, "Names of the project's files that fit, the likeliest first; without what tools may not see.", {
    answer: answers.FileList,
    query: queries.FilesQuery,
    needs: "member",
  }),
  route("usage", `GET ${P}/usage`, "What models read and wrote, and what it cost.", {
    answer: answers.UsageView,
    query: queries.UsageQuery,
  }),
] as const;

export type RouteName = (typeof ROUTES)[number]["name"];
export type SignInRouteName = (typeof SIGN_IN_ROUTES)[number]["name"];
