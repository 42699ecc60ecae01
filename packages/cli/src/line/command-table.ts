import type { Command } from "./command.ts";

interface Row {
  readonly name: string;
  /** Other names of the same command. */
  readonly aliases?: readonly string[];
  /** One line for `help`. */
  readonly summary: string;
  /** Among the first that a newcomer sees. */
  readonly first?: true;
  readonly load: () => Promise<Command>;
}

/** Every command; its file is loaded when it is called. A new one is a file and a row. */
export const commandTable: readonly Row[] = [
  {
    name: "new",
    first: true,
    summary: "start a dialog with an agent",
    load: async () => (await import("../commands/dialogs/new.ts")).newDialog,
  },
  {
    name: "send",
    first: true,
    summary: "send a message to a dialog",
    load: async () => (await import("../commands/dialogs/send.ts")).send,
  },
  {
    name: "questions",
    aliases: ["inbox", "q"],
    first: true,
    summary: "questions for you (also: inbox, q)",
    load: async () => (await import("../commands/questions/questions.ts")).questions,
  },
  { name: "answer", first: true, summary: "answer a question", load: async () => (await import("../commands/questions/answer.ts")).answer },
  { name: "ls", first: true, summary: "list the dialogs", load: async () => (await import("../commands/dialogs/ls.ts")).ls },
  {
    name: "show",
    first: true,
    summary: "read a dialog or a question",
    load: async () => (await import("../commands/dialogs/show.ts")).show,
  },
  { name: "tree", first: true, summary: "who waits for whom", load: async () => (await import("../commands/dialogs/tree.ts")).tree },
  {
    name: "watch",
    first: true,
    summary: "live view of everything; answer there",
    load: async () => (await import("../commands/dialogs/watch.ts")).watch,
  },
  { name: "chat", summary: "a conversation in the terminal", load: async () => (await import("../commands/dialogs/chat.ts")).chat },
  {
    name: "approve",
    summary: "approve a call that waits for you",
    load: async () => (await import("../commands/questions/approve.ts")).approve,
  },
  { name: "deny", summary: "deny a call that waits for you", load: async () => (await import("../commands/questions/deny.ts")).deny },
  {
    name: "ask-back",
    summary: "ask the agent back; the question stays open",
    load: async () => (await import("../commands/questions/ask-back.ts")).askBack,
  },
  {
    name: "dismiss",
    summary: "close a question without an answer",
    load: async () => (await import("../commands/questions/dismiss.ts")).dismiss,
  },
  { name: "tasks", summary: "list, create and run tasks", load: async () => (await import("../commands/project/tasks.ts")).tasks },
  {
    name: "notices",
    summary: "what agents did without asking",
    load: async () => (await import("../commands/questions/notices.ts")).notices,
  },
  {
    name: "grants",
    summary: "list and revoke standing approvals",
    load: async () => (await import("../commands/questions/grants.ts")).grants,
  },
  { name: "undo", summary: "undo the changes of a command", load: async () => (await import("../commands/dialogs/undo.ts")).undo },
  { name: "stop", summary: "stop a dialog", load: async () => (await import("../commands/dialogs/stop.ts")).stop },
  {
    name: "resume",
    summary: "resume a stopped or interrupted dialog",
    load: async () => (await import("../commands/dialogs/resume.ts")).resume,
  },
  {
    name: "done",
    summary: "mark a dialog as done; a message reopens it",
    load: async () => (await import("../commands/project/done.ts")).done,
  },
  { name: "archive", summary: "archive a dialog for good", load: async () => (await import("../commands/dialogs/archive.ts")).archive },
  { name: "dead", summary: "give up a side dialog for good", load: async () => (await import("../commands/questions/dead.ts")).dead },
  {
    name: "clear-mind",
    summary: "start a new course for an agent",
    load: async () => (await import("../commands/dialogs/clear-mind.ts")).clearMind,
  },
  {
    name: "change-mind",
    summary: "read or change the Taskdoc of a dialog",
    load: async () => (await import("../commands/dialogs/change-mind.ts")).changeMind,
  },
  {
    name: "remind",
    summary: "reminders that an agent sees in every course",
    load: async () => (await import("../commands/dialogs/remind.ts")).remind,
  },
  {
    name: "phase",
    summary: "show or change the phase of a dialog",
    load: async () => (await import("../commands/dialogs/phase.ts")).phase,
  },
  {
    name: "serve",
    summary: "run the server: API and web app",
    load: async () => (await import("../commands/project/serve.ts")).serve,
  },
  { name: "open", summary: "open the web app in the browser", load: async () => (await import("../commands/project/open.ts")).open },
  { name: "users", summary: "manage people and their links", load: async () => (await import("../commands/project/users.ts")).users },
  { name: "projects", summary: "your list of projects", load: async () => (await import("../commands/project/projects.ts")).projects },
  {
    name: "status",
    summary: "the project in ten lines (colloquy alone does the same)",
    load: async () => (await import("../commands/project/status.ts")).status,
  },
  { name: "log", summary: "every event of a dialog, as it is on disk", load: async () => (await import("../commands/dialogs/log.ts")).log },
  { name: "search", summary: "find words in all dialogs", load: async () => (await import("../commands/dialogs/search.ts")).search },
  { name: "usage", summary: "tokens and costs", load: async () => (await import("../commands/project/usage.ts")).usage },
  { name: "agents", summary: "the team", load: async () => (await import("../commands/project/agents.ts")).agents },
  {
    name: "models",
    summary: "list and test models",
    load: async () => (await import("../commands/project/models.ts")).models,
  },
  {
    name: "trust",
    summary: "review and trust a folder",
    load: async () => (await import("../commands/project/trust.ts")).trust,
  },
  { name: "doctor", summary: "check and repair the project", load: async () => (await import("../commands/project/doctor.ts")).doctor },
  { name: "demo", summary: "try a ready-made team, without a key", load: async () => (await import("../commands/project/demo.ts")).demo },
  { name: "init", summary: "create a project in a folder", load: async () => (await import("../commands/project/init.ts")).init },
  {
    name: "completion",
    summary: "shell completion",
    load: async () => (await import("../commands/completion.ts")).completion,
  },
  { name: "help", summary: "this page; help COMMAND for one of them", load: async () => (await import("../commands/help.ts")).help },
];

/** Commands of parts that this version does not have: refused as such. */
export const notBuiltYet: readonly string[] = "fork export import notify mcp".split(" ");

/** Names that are nearly what was typed: the same letters but for one. */
export function similarCommand(typed: string): string | undefined {
  const missing = (from: string, other: string) => [...from].reduce((left, letter) => left.replace(letter, ""), other).length;
  return commandTable.map(({ name }) => name).find((name) => missing(typed, name) <= 1 && missing(name, typed) <= 1);
}
