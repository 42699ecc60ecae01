import type { Command } from "./command.ts";

interface Row {
  readonly name: string;
  /** One line for `help`. */
  readonly summary: string;
  /** Among the first that a newcomer sees. */
  readonly first?: true;
  readonly load: () => Promise<Command>;
}

/** Every command; its file is loaded when it is called. A new one is a file and a row. */
export const commandTable: readonly Row[] = [
  { name: "demo", first: true, summary: "a ready team to try, without a key", load: async () => (await import("./commands/demo.ts")).demo },
  { name: "init", first: true, summary: "a new project in a folder of yours", load: async () => (await import("./commands/init.ts")).init },
  { name: "new", first: true, summary: "start a dialog with an agent", load: async () => (await import("./commands/new.ts")).newDialog },
  { name: "send", first: true, summary: "say more in a dialog", load: async () => (await import("./commands/send.ts")).send },
  { name: "ls", first: true, summary: "list the dialogs", load: async () => (await import("./commands/ls.ts")).ls },
  { name: "show", first: true, summary: "read a dialog", load: async () => (await import("./commands/show.ts")).show },
  { name: "stop", first: true, summary: "let a dialog stand still", load: async () => (await import("./commands/stop.ts")).stop },
  {
    name: "resume",
    first: true,
    summary: "let it go on, also after a crash",
    load: async () => (await import("./commands/resume.ts")).resume,
  },
  {
    name: "status",
    summary: "the project in ten lines (colloquy alone does the same)",
    load: async () => (await import("./commands/status.ts")).status,
  },
  { name: "log", summary: "every event of a dialog, as it is on disk", load: async () => (await import("./commands/log.ts")).log },
  { name: "done", summary: "a dialog is done; a message reopens it", load: async () => (await import("./commands/done.ts")).done },
  { name: "archive", summary: "put a dialog away for good", load: async () => (await import("./commands/archive.ts")).archive },
  { name: "agents", summary: "the team", load: async () => (await import("./commands/agents.ts")).agents },
  {
    name: "models",
    summary: "which models are there, and whether they answer",
    load: async () => (await import("./commands/models.ts")).models,
  },
  { name: "doctor", summary: "look after the project's health", load: async () => (await import("./commands/doctor.ts")).doctor },
  { name: "help", summary: "this page; help COMMAND for one of them", load: async () => (await import("./commands/help.ts")).help },
];

/** Commands of the contract that later floors build. */
export const notBuiltYet: readonly string[] = [
  "serve chat questions inbox q answer ask-back approve deny dismiss tree watch search usage open dead clear-mind change-mind remind",
  "phase tasks fork export import grants projects users notify completion mcp",
].flatMap((names) => names.split(" "));

/** Names that are nearly what was typed: the same letters but for one. */
export function similarCommand(typed: string): string | undefined {
  const missing = (from: string, other: string) => [...from].reduce((left, letter) => left.replace(letter, ""), other).length;
  return commandTable.map(({ name }) => name).find((name) => missing(typed, name) <= 1 && missing(name, typed) <= 1);
}
