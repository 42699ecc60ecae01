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
  { name: "new", first: true, summary: "start a dialog with an agent", load: async () => (await import("./commands/new.ts")).newDialog },
  { name: "send", first: true, summary: "say more in a dialog", load: async () => (await import("./commands/send.ts")).send },
  {
    name: "questions",
    aliases: ["inbox", "q"],
    first: true,
    summary: "what waits for you (also: inbox, q)",
    load: async () => (await import("./commands/questions.ts")).questions,
  },
  { name: "answer", first: true, summary: "answer a question", load: async () => (await import("./commands/answer.ts")).answer },
  { name: "ls", first: true, summary: "list the dialogs", load: async () => (await import("./commands/ls.ts")).ls },
  { name: "show", first: true, summary: "read a dialog or a question", load: async () => (await import("./commands/show.ts")).show },
  { name: "tree", first: true, summary: "who waits for whom", load: async () => (await import("./commands/tree.ts")).tree },
  { name: "watch", first: true, summary: "everything, live; answer there", load: async () => (await import("./commands/watch.ts")).watch },
  { name: "chat", summary: "a conversation in the terminal", load: async () => (await import("./commands/chat.ts")).chat },
  { name: "approve", summary: "let a call run that waits for you", load: async () => (await import("./commands/approve.ts")).approve },
  { name: "deny", summary: "do not let it run", load: async () => (await import("./commands/deny.ts")).deny },
  {
    name: "ask-back",
    summary: "ask about a question, which stays open",
    load: async () => (await import("./commands/ask-back.ts")).askBack,
  },
  { name: "dismiss", summary: "leave a question unanswered", load: async () => (await import("./commands/dismiss.ts")).dismiss },
  { name: "tasks", summary: "work items, and who does them", load: async () => (await import("./commands/tasks.ts")).tasks },
  { name: "notices", summary: "what agents did without asking", load: async () => (await import("./commands/notices.ts")).notices },
  { name: "grants", summary: "what was approved for more than once", load: async () => (await import("./commands/grants.ts")).grants },
  { name: "stop", summary: "let a dialog stand still", load: async () => (await import("./commands/stop.ts")).stop },
  { name: "resume", summary: "let it go on, also after a crash", load: async () => (await import("./commands/resume.ts")).resume },
  { name: "done", summary: "a dialog is done; a message reopens it", load: async () => (await import("./commands/done.ts")).done },
  { name: "archive", summary: "put a dialog away for good", load: async () => (await import("./commands/archive.ts")).archive },
  { name: "dead", summary: "give a side dialog up for good", load: async () => (await import("./commands/dead.ts")).dead },
  {
    name: "clear-mind",
    summary: "let an agent begin a new course",
    load: async () => (await import("./commands/clear-mind.ts")).clearMind,
  },
  {
    name: "change-mind",
    summary: "goals, constraints and progress of a dialog",
    load: async () => (await import("./commands/change-mind.ts")).changeMind,
  },
  { name: "remind", summary: "what an agent is told in every course", load: async () => (await import("./commands/remind.ts")).remind },
  { name: "phase", summary: "what a dialog is at", load: async () => (await import("./commands/phase.ts")).phase },
  {
    name: "serve",
    summary: "the server: API and web app for these projects",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  { name: "open", summary: "the server's page in the browser", load: async () => (await import("./commands/open.ts")).open },
  { name: "users", summary: "people with a link of their own", load: async () => (await import("./commands/users.ts")).users },
  { name: "projects", summary: "your list of projects", load: async () => (await import("./commands/projects.ts")).projects },
  {
    name: "status",
    summary: "the project in ten lines (colloquy alone does the same)",
    load: async () => (await import("./commands/status.ts")).status,
  },
  { name: "log", summary: "every event of a dialog, as it is on disk", load: async () => (await import("./commands/log.ts")).log },
  { name: "search", summary: "find words in all dialogs", load: async () => (await import("./commands/search.ts")).search },
  { name: "usage", summary: "tokens and costs", load: async () => (await import("./commands/usage.ts")).usage },
  { name: "agents", summary: "the team", load: async () => (await import("./commands/agents.ts")).agents },
  {
    name: "models",
    summary: "which models are there, and whether they answer",
    load: async () => (await import("./commands/models.ts")).models,
  },
  {
    name: "trust",
    summary: "what a folder would run and send; trust it",
    load: async () => (await import("./commands/trust.ts")).trust,
  },
  { name: "doctor", summary: "look after the project's health", load: async () => (await import("./commands/doctor.ts")).doctor },
  { name: "demo", summary: "a ready team to try, without a key", load: async () => (await import("./commands/demo.ts")).demo },
  { name: "init", summary: "a new project in a folder of yours", load: async () => (await import("./commands/init.ts")).init },
  {
    name: "completion",
    summary: "commands and options for your shell",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
  { name: "help", summary: "this page; help COMMAND for one of them", load: async () => (await import("./commands/help.ts")).help },
];

/** Commands of parts that this version does not have: refused as such. */
export const notBuiltYet: readonly string[] = "fork export import notify mcp".split(" ");

/** Names that are nearly what was typed: the same letters but for one. */
export function similarCommand(typed: string): string | undefined {
  const missing = (from: string, other: string) => [...from].reduce((left, letter) => left.replace(letter, ""), other).length;
  return commandTable.map(({ name }) => name).find((name) => missing(typed, name) <= 1 && missing(name, typed) <= 1);
}
