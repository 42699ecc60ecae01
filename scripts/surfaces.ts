// One row for each operation, and its name on each surface: docs/reference/surfaces.md. The compiler rejects names that do not exist, and
// actions that no row has; `problems` finds routes and commands that no row has.
import type { Api, Client } from "@colloquy/client";
import type { Project } from "@colloquy/library";
import type { Actions } from "@colloquy/react";
import { type RouteName, ROUTES } from "@colloquy/schema";
import { commandTable } from "../packages/cli/src/line/command-table.ts";

/** `health`, `dialogs.create`: a method, or a method of a noun. */
type Method<T> = {
  [Name in keyof T & string]: T[Name] extends (...given: never[]) => unknown ? Name : `${Name}.${keyof T[Name] & string}`;
}[keyof T & string];

interface Row {
  readonly does: string;
  readonly library?: Method<Project>;
  readonly route?: RouteName;
  /** What is not an action: those have the same name in React. */
  readonly client?: Method<Client>;
  readonly api?: Method<Api>;
  readonly react?: Method<Actions> | `use${string}`;
  /** With its verb, where the command has several. */
  readonly command?: string;
}

const dialogs = [
  { does: "list main dialogs", library: "dialogs.list", route: "dialogs", api: "dialogs.list", react: "useDialogs", command: "ls" },
  {
    does: "start a dialog",
    library: "dialogs.create",
    route: "createDialog",
    client: "dialogs.create",
    api: "dialogs.create",
    react: "dialogs.create",
    command: "new",
  },
  { does: "read a dialog", library: "dialogs.view", route: "dialog", api: "dialogs.view", react: "useDialog", command: "show" },
  { does: "read its row of the list", library: "dialogs.entry", route: "row", api: "dialogs.row" },
  { does: "see who waits for whom", library: "dialogs.tree", route: "tree", api: "dialogs.tree", react: "useDialog", command: "tree" },
  {
    does: "open it on a page: its folded tree",
    library: "dialogs.snapshot",
    route: "snapshot",
    api: "dialogs.snapshot",
    react: "useDialog",
  },
  { does: "read events", library: "dialogs.events", route: "events", api: "dialogs.events", command: "log" },
  { does: "follow events", library: "dialogs.follow", route: "stream", client: "follow", react: "useDialog", command: "watch" },
  {
    does: "send a message",
    library: "dialogs.send",
    route: "send",
    client: "dialogs.send",
    api: "dialogs.send",
    react: "dialogs.send",
    command: "send",
  },
  { does: "get an image", library: "dialogs.image", route: "image", api: "dialogs.image" },
  { does: "wait until it is idle", library: "dialogs.quiet", route: "quiet", api: "dialogs.quiet", command: "send --wait" },
  {
    does: "stop",
    library: "dialogs.stop",
    route: "stop",
    client: "dialogs.stop",
    api: "dialogs.stop",
    react: "dialogs.stop",
    command: "stop",
  },
  {
    does: "resume",
    library: "dialogs.resume",
    route: "resume",
    client: "dialogs.resume",
    api: "dialogs.resume",
    react: "dialogs.resume",
    command: "resume",
  },
  {
    does: "mark as done",
    library: "dialogs.done",
    route: "done",
    client: "dialogs.done",
    api: "dialogs.done",
    react: "dialogs.done",
    command: "done",
  },
  {
    does: "archive",
    library: "dialogs.archive",
    route: "archive",
    client: "dialogs.archive",
    api: "dialogs.archive",
    react: "dialogs.archive",
    command: "archive",
  },
  {
    does: "give up a side dialog",
    library: "dialogs.dead",
    route: "dead",
    client: "dialogs.dead",
    api: "dialogs.dead",
    react: "dialogs.dead",
    command: "dead",
  },
  { does: "rename", library: "dialogs.rename", route: "rename", api: "dialogs.rename", react: "dialogs.rename" },
  {
    does: "change the phase",
    library: "dialogs.setPhase",
    route: "phase",
    client: "dialogs.setPhase",
    api: "dialogs.setPhase",
    react: "dialogs.setPhase",
    command: "phase",
  },
  {
    does: "start a new course",
    library: "dialogs.clearMind",
    route: "clearMind",
    client: "dialogs.clearMind",
    api: "dialogs.clearMind",
    react: "dialogs.clearMind",
    command: "clear-mind",
  },
  { does: "read the Taskdoc", library: "dialogs.taskdoc", route: "taskdoc", api: "dialogs.taskdoc", command: "change-mind" },
  {
    does: "change the Taskdoc",
    library: "dialogs.changeMind",
    route: "changeMind",
    client: "dialogs.changeMind",
    api: "dialogs.changeMind",
    react: "dialogs.changeMind",
    command: "change-mind",
  },
  { does: "list reminders", library: "dialogs.view", route: "reminders", api: "dialogs.reminders", command: "remind" },
  {
    does: "add a reminder",
    library: "dialogs.addReminder",
    route: "addReminder",
    api: "dialogs.addReminder",
    react: "dialogs.addReminder",
    command: "remind add",
  },
  {
    does: "change a reminder",
    library: "dialogs.changeReminder",
    route: "updateReminder",
    api: "dialogs.changeReminder",
    react: "dialogs.changeReminder",
    command: "remind update",
  },
  {
    does: "delete a reminder",
    library: "dialogs.changeReminder",
    route: "deleteReminder",
    api: "dialogs.deleteReminder",
    react: "dialogs.deleteReminder",
    command: "remind delete",
  },
  {
    does: "fork",
    library: "dialogs.fork",
    route: "fork",
    client: "dialogs.fork",
    api: "dialogs.fork",
    react: "dialogs.fork",
    command: "fork",
  },
  {
    does: "delete a dialog",
    library: "dialogs.delete",
    route: "deleteDialog",
    client: "dialogs.delete",
    api: "dialogs.delete",
    react: "dialogs.delete",
    command: "delete",
  },
  { does: "compare two dialogs", library: "dialogs.compare", route: "compare", api: "dialogs.compare", command: "compare" },
  { does: "export a dialog", library: "dialogs.export", route: "exportDialog", api: "dialogs.export", command: "export" },
  { does: "export all dialogs", library: "dialogs.exportAll", route: "exportAll", api: "dialogs.exportAll", command: "export --all" },
  { does: "back up the project", library: "backup", route: "backup", api: "backup", command: "backup" },
  { does: "import dialogs", library: "import", route: "importDialogs", api: "import", command: "import" },
  {
    does: "undo a command's changes",
    library: "dialogs.undo",
    route: "undo",
    api: "dialogs.undo",
    react: "dialogs.undo",
    command: "undo",
  },
] as const satisfies readonly Row[];

const questions = [
  {
    does: "list questions",
    library: "questions.list",
    route: "questions",
    api: "questions.list",
    react: "useQuestions",
    command: "questions",
  },
  {
    does: "ask people, for an outside program",
    library: "questions.ask",
    route: "askPeople",
    client: "questions.ask",
    api: "questions.ask",
    react: "questions.ask",
    command: "ask",
  },
  { does: "read a question", library: "questions.get", route: "question", api: "questions.get", command: "show" },
  {
    does: "answer",
    library: "questions.answer",
    route: "answer",
    client: "questions.answer",
    api: "questions.answer",
    react: "questions.answer",
    command: "answer",
  },
  {
    does: "approve a call",
    library: "questions.approve",
    route: "approve",
    client: "questions.approve",
    api: "questions.approve",
    react: "questions.approve",
    command: "approve",
  },
  {
    does: "deny a call",
    library: "questions.deny",
    route: "deny",
    client: "questions.deny",
    api: "questions.deny",
    react: "questions.deny",
    command: "deny",
  },
  {
    does: "dismiss",
    library: "questions.dismiss",
    route: "dismiss",
    client: "questions.dismiss",
    api: "questions.dismiss",
    react: "questions.dismiss",
    command: "dismiss",
  },
  {
    does: "ask back",
    library: "questions.askBack",
    route: "askBack",
    client: "questions.askBack",
    api: "questions.askBack",
    react: "questions.askBack",
    command: "ask-back",
  },
  { does: "list notifications", library: "notifications.list", route: "notifications", api: "notifications.list" },
  { does: "answer or dismiss a notification", route: "patchNotification", api: "notifications.update" },
  { does: "list notices", library: "notices.list", route: "notifications", react: "useNotices", command: "notices" },
  {
    does: "dismiss a notice",
    library: "notices.dismiss",
    route: "patchNotification",
    react: "notices.dismiss",
    command: "notices dismiss",
  },
  { does: "list what the team has done", library: "effects.list", route: "effects", api: "effects.list", command: "effects" },
  {
    does: "settle an unknown outcome",
    library: "effects.settle",
    route: "settle",
    client: "effects.settle",
    api: "effects.settle",
    react: "effects.settle",
    command: "effects settle",
  },
  { does: "list standing approvals", library: "grants.list", route: "grants", api: "grants.list", command: "grants" },
  {
    does: "revoke one",
    library: "grants.revoke",
    route: "revokeGrant",
    api: "grants.revoke",
    react: "grants.revoke",
    command: "grants revoke",
  },
] as const satisfies readonly Row[];

const tasks = [
  { does: "list tasks", library: "tasks.list", route: "tasks", api: "tasks.list", react: "useTasks", command: "tasks" },
  { does: "list ready tasks", library: "tasks.ready", route: "readyTasks", api: "tasks.ready", command: "tasks ready" },
  { does: "read a task", library: "tasks.get", route: "task", api: "tasks.get", command: "tasks show" },
  { does: "see its autonomy", library: "tasks.autonomy", route: "taskAutonomy", api: "tasks.autonomy", command: "tasks show" },
  { does: "create a task", library: "tasks.create", route: "createTask", api: "tasks.create", react: "tasks.create", command: "tasks add" },
  {
    does: "change a task",
    library: "tasks.update",
    route: "changeTask",
    api: "tasks.update",
    react: "tasks.update",
    command: "tasks change",
  },
  { does: "close a task", library: "tasks.close", route: "changeTask", api: "tasks.update", react: "tasks.update", command: "tasks close" },
  { does: "run ready tasks", library: "tasks.run", command: "tasks run" },
] as const satisfies readonly Row[];

const project = [
  { does: "find by digits of an id", library: "locate", route: "matching", api: "questions.matching" },
  { does: "find the project of an id", route: "locate", api: "locate" },
  { does: "search texts", library: "search", route: "search", api: "search", command: "search" },
  { does: "complete file names", library: "files", route: "files", api: "files" },
  { does: "list agents", library: "agents.members", route: "settings", react: "useProject", command: "agents" },
  { does: "read the settings", library: "settings", route: "settings", api: "settings", command: "status" },
  { does: "test a model", library: "testModel", route: "testModel", api: "testModel", command: "models --test" },
  { does: "allow a changed MCP server", library: "allowServer", route: "allowServer", api: "allowServer", command: "doctor" },
  { does: "read notes", library: "memory", route: "memory", api: "memory" },
  { does: "see usage and costs", library: "usage", route: "usage", api: "usage", command: "usage" },
  { does: "list the nodes that share a project", library: "nodes", route: "nodes", api: "nodes", command: "nodes" },
  { does: "check every log", library: "checkHealth", route: "health", api: "health", command: "doctor" },
  { does: "check health", library: "health", route: "health", api: "health", command: "doctor" },
  { does: "run until only people can continue", library: "drive", command: "resume --all" },
  { does: "watch the project", library: "onCommit", route: "feed", client: "watchProject", react: "useProject", command: "watch" },
  { does: "move the log to a database or back", command: "move" },
  { does: "restore a backup", command: "restore" },
  { does: "make and list keys for Nostr", command: "nostr keys" },
  { does: "see relays and refused events", library: "settings", route: "settings", api: "settings", command: "nostr status" },
  { does: "tell relays who the agents are", command: "nostr publish-profile" },
  { does: "list projects", route: "projects", api: "projects", react: "useProjects", command: "projects" },
  { does: "see who you are", route: "me", api: "me", react: "useProject" },
] as const satisfies readonly Row[];

const sections: Readonly<Record<string, readonly Row[]>> = {
  Dialogs: dialogs,
  "Questions and notices": questions,
  Tasks: tasks,
  Project: project,
};

type Listed<R> = R extends { readonly react: infer Name } ? Name : never;
type Unlisted = Exclude<Method<Actions>, Listed<(typeof dialogs | typeof questions | typeof tasks | typeof project)[number]>>;
/** The compiler names the actions of the client and of React that no row has. */
const _unlisted: Record<Unlisted, never> = {};

/** Commands of a person's own machine, for which the other surfaces have no counterpart. */
const LOCAL = ["chat", "serve", "acp", "mcp", "open", "users", "trust", "demo", "init", "completion", "help"];

/** Routes and commands that no row has, and commands that do not exist. */
export function problems(): readonly string[] {
  const rows = Object.values(sections).flat();
  const routes = new Set(rows.map(({ route }) => route as string));
  const commands = new Set(rows.flatMap(({ command }) => command?.split(" ")[0] ?? []));
  const known = new Set(commandTable.map(({ name }) => name));
  return [
    ...ROUTES.filter(({ name }) => !routes.has(name)).map(({ name }) => `scripts/surfaces.ts has no row with the route ${name}`),
    ...[...known]
      .filter((name) => !commands.has(name) && !LOCAL.includes(name))
      .map((name) => `scripts/surfaces.ts has no row with the command ${name}`),
    ...[...commands]
      .filter((name) => !known.has(name))
      .map((name) => `scripts/surfaces.ts names the command ${name}, which does not exist`),
  ];
}

const code = (text: string | undefined): string => (text === undefined ? "" : `\`${text}\``);

function routeOf(name: RouteName | undefined): string {
  const route = ROUTES.find((one) => one.name === name);
  return route ? code(`${route.method} ${route.path.replace("/projects/:pid", "…")}`) : "";
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ does, library, route, client, api, react, command }) => {
    const action = react?.startsWith("use") === false ? react : undefined;
    const over = client ?? action ?? (api && `api.${api}`);
    return `| ${[does, code(library), routeOf(route), code(over), code(react), code(command)].join(" | ")} |`;
  });
  return [
    "| | library: `project.` | HTTP: `/api` | client: `client.` | React | `colloquy` |",
    "| --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

export const surfacesPage = (): string => `# Operations on every surface

<!-- Made by scripts/surfaces.ts. Change the rows there, then: npm run reference -->

One row per operation. \`…\` is \`/projects/:pid\`. The client repeats a command without \`api.\` in front until it is answered; \`client.api\` has the others, and the same again, as single requests. A React name without \`use\` is a member of \`useActions()\`.

${Object.entries(sections)
  .map(([name, rows]) => `## ${name}\n\n${table(rows)}`)
  .join("\n\n")}
`;
