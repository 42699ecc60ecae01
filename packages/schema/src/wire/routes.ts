import type { z } from "zod";
import * as answers from "../answers.ts";
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
}

type Given = Partial<Pick<Route, "query" | "body" | "status" | "needs">>;
const route = <Name extends string>(
  name: Name,
  place: `${Method} ${string}`,
  about: string,
  answer: z.ZodType | undefined,
  given: Given = {},
) => {
  const [method, path] = place.split(" ") as [Method, string];
  return {
    name,
    method,
    path,
    about,
    needs: method === "GET" ? "viewer" : "member",
    status: 200,
    ...(answer && { answer }),
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
  route("signIn", "POST /session", "Signs a browser in; the answer sets its cookie. A link does so once.", answers.SignedIn, {
    body: requests.SignIn,
    needs: "nobody",
  }),
  route("signOut", "DELETE /session", "Signs this browser out.", answers.Gone, { needs: "nobody" }),
  route("sessions", "GET /sessions", "Browsers that are signed in.", answers.SessionList, { needs: "owner" }),
  route("newLink", "POST /links", "A new link for one browser of the owner: `URL/#token=TOKEN`.", answers.NewLink, { needs: "owner" }),
  route("rotateToken", "POST /token", "Replaces the server's own token. Browsers and programs with the old one are out.", answers.NewLink, {
    needs: "owner",
  }),
] as const;

/** Every route that is built. */
export const ROUTES = [
  route("health", "GET /health", "Whether the server is up and accepts writes.", answers.Health, { needs: "nobody" }),
  route("me", "GET /me", "The user and role of the token.", answers.Me),
  route("projects", "GET /projects", "The projects that are served.", answers.ProjectRows),

  route(
    "feed",
    `GET ${P}/stream`,
    "What concerns the project as it comes, as SSE. `id:` resumes; the last commit is told again.",
    undefined,
    {
      query: queries.StreamQuery,
    },
  ),
  route("locate", "GET /locate", "What some digits of an id name: a dialog or a question.", answers.LocatedView, {
    query: queries.LocateQuery,
  }),

  route("dialogs", `GET ${P}/dialogs`, "Main dialogs, newest first.", answers.DialogList, { query: queries.DialogsQuery }),
  route("createDialog", `POST ${P}/dialogs`, "A new main dialog.", answers.Created, { body: requests.CreateDialog, status: 201 }),
  route("dialog", `GET ${D}`, "A dialog, main or side.", DialogView),
  route("rename", `PATCH ${D}`, "Gives it another title.", answers.Done, { body: requests.Rename }),
  route("row", `GET ${D}/row`, "The main dialog of its tree, as it stands in the list.", DialogRow),
  route("quiet", `GET ${D}/quiet`, "Waits until its tree is idle.", answers.Quiet, { query: queries.QuietQuery }),
  route("tree", `GET ${D}/tree`, "Who waits for whom in its tree.", TreeNode),
  route("events", `GET ${D}/events`, "Its events; a main dialog's are those of its whole tree.", answers.EventList, {
    query: queries.EventsQuery,
  }),
  route("stream", `GET ${D}/stream`, "Events of its tree as they come, as SSE. `id:` is the `seq`; `Last-Event-ID` resumes.", undefined, {
    query: queries.StreamQuery,
  }),
  route("send", `POST ${D}/messages`, "A message.", answers.Done, { body: requests.SendMessage, status: 202 }),
  route("image", `GET ${D}/images/:name`, "An image that came with a message or a result of its tree, as it is.", undefined),
  route("stop", `POST ${D}/stop`, "Stops it until it is resumed.", answers.Done, { body: requests.Stop }),
  route("resume", `POST ${D}/resume`, "Resumes it.", answers.Done, { body: requests.Plain }),
  route("done", `POST ${D}/done`, "Marks it as done; a message reopens it.", answers.Done, { body: requests.Plain }),
  route("archive", `POST ${D}/archive`, "Archives it for good.", answers.Done, { body: requests.Plain, needs: "owner" }),
  route("dead", `POST ${D}/dead`, "Gives up a side dialog that will not answer, and tells the dialogs waiting for it.", answers.Done, {
    body: requests.Plain,
    needs: "owner",
  }),
  route("clearMind", `POST ${D}/clear-mind`, "Starts a new course.", answers.Done, { body: requests.ClearMind }),
  route("changeMind", `POST ${D}/change-mind`, "Replaces a section of the Taskdoc.", answers.Done, { body: requests.ChangeMind }),
  route("phase", `POST ${D}/phase`, "Changes its phase; the same phase with a summary is a hand-off.", answers.Done, {
    body: requests.SetPhase,
  }),
  route("taskdoc", `GET ${D}/taskdoc`, "The Taskdoc that its tree reads.", answers.TaskdocView),
  route("reminders", `GET ${D}/reminders`, "Reminders that its agent sees in every course.", answers.ReminderList),
  route("addReminder", `POST ${D}/reminders`, "A new reminder.", answers.Done, { body: requests.AddReminder }),
  route("updateReminder", `PATCH ${D}/reminders/:rid`, "Changes a reminder.", answers.Done, { body: requests.UpdateReminder }),
  route("deleteReminder", `DELETE ${D}/reminders/:rid`, "Deletes a reminder.", answers.Done, { body: requests.Plain }),

  route("undo", `POST ${P}/calls/:cid/undo`, "Undoes the changes of a command: all of them, or none.", answers.Undone, {
    body: requests.Plain,
  }),

  route("matching", `GET ${P}/matching`, "All that some digits of an id name: dialogs of any depth, questions.", answers.MatchingList, {
    query: queries.MatchingQuery,
  }),

  route(
    "questions",
    `GET ${P}/questions`,
    "Open ones: what frees most work first. Others, and those of one `dialog`: newest first.",
    answers.QuestionList,
    {
      query: queries.QuestionsQuery,
    },
  ),
  route("question", `GET ${Q}`, "A question, also one that is closed.", QuestionView),
  route("answer", `POST ${Q}/answer`, "Answers it, by a choice, in words, or both.", answers.Done, { body: requests.Answering }),
  route("dismiss", `POST ${Q}/dismiss`, "Closes it without an answer.", answers.Done, { body: requests.Dismissing }),
  route("askBack", `POST ${Q}/ask-back`, "Asks about it; it stays open.", answers.Done, { body: requests.AskingBack }),
  route("approve", `POST ${Q}/approve`, "Approves the call. A standing approval needs an owner.", answers.Done, {
    body: requests.Approving,
  }),
  route("deny", `POST ${Q}/deny`, "Denies the call.", answers.Done, { body: requests.Denying }),

  route("notifications", `GET ${P}/notifications`, "Questions that were raised together, newest first.", answers.NotificationList, {
    query: queries.NotificationsQuery,
  }),
  route(
    "patchNotification",
    `PATCH ${P}/notifications/:nid`,
    "Answers, approves or dismisses its questions.",
    answers.NotificationOutcome,
    {
      body: requests.NotificationPatch,
    },
  ),

  route("tasks", `GET ${P}/tasks`, "Tasks, oldest first, or `order=current`.", answers.TaskList, { query: queries.TasksQuery }),
  route("createTask", `POST ${P}/tasks`, "A new task. The same `msgId` again gives the same task.", TaskView, {
    body: requests.CreateTask,
    status: 201,
  }),
  route("readyTasks", `GET ${P}/tasks/ready`, "Open ones whose dependencies are closed.", answers.TaskList),
  route("task", `GET ${P}/tasks/:tid`, "A task, with its history.", TaskView),
  route("taskAutonomy", `GET ${P}/tasks/:tid/autonomy`, "How far its agents go by themselves, and where that is set.", TaskAutonomy),
  route("changeTask", `PATCH ${P}/tasks/:tid`, "Changes a task; `close` says why it is over.", TaskView, { body: requests.ChangeTask }),

  route("grants", `GET ${P}/grants`, "Standing approvals.", answers.GrantList),
  route("revokeGrant", `DELETE ${P}/grants/:gid`, "Revokes a standing approval.", answers.Gone, {
    needs: "owner",
    body: requests.Plain,
  }),
  route("settings", `GET ${P}/settings`, "The effective settings, which are edited in `colloquy.yaml`.", answers.SettingsView),
  route("testModel", `POST ${P}/models/:name/test`, "Makes one small real call to a model.", answers.ModelTestView, {
    body: requests.Plain,
  }),
  route("allowServer", `POST ${P}/servers/:name/allow`, "Allows the changed programs of an MCP server to run.", answers.Gone, {
    needs: "owner",
    body: requests.Plain,
  }),
  route("memory", `GET ${P}/memory`, "Notes of the team and its agents.", answers.MemoryView),
  route("search", `GET ${P}/search`, "Words in titles and texts, newest first; every word must be there.", answers.SearchView, {
    query: queries.SearchQuery,
  }),
  route(
    "files",
    `GET ${P}/files`,
    "Names of the project's files that fit, the likeliest first; without what tools may not see.",
    answers.FileList,
    {
      query: queries.FilesQuery,
      needs: "member",
    },
  ),
  route("usage", `GET ${P}/usage`, "What models read and wrote, and what it cost.", answers.UsageView, { query: queries.UsageQuery }),
] as const;

export type RouteName = (typeof ROUTES)[number]["name"];
export type SignInRouteName = (typeof SIGN_IN_ROUTES)[number]["name"];
