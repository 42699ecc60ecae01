import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ask, askPerson, say, type Telling } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { defineAgent, type OpenOptions, openProject, type Project } from "../src/index.ts";

/** The agents' steps in the template's trees, before and after an answer or a restart; by the first message of the dialog. */
const telling: Telling = {
  lead: ({ messages }) => {
    const steps = messages.filter(({ role }) => role === "assistant").length;
    const first = JSON.stringify(messages);
    if (first.includes("ask a person") && steps === 0) return askPerson("Blue or red?");
    if (first.includes("in time") && steps === 0) return askPerson("Before June?", { deadline: "2030-06-01T00:00:00Z" });
    if (first.includes("ask the coder") && steps === 0) return ask("coder", "Do it.");
    return say("Done.");
  },
  coder: ({ messages }) =>
    messages.some(({ role }) => role === "assistant") ? say("Coded.") : askPerson("Tabs or spaces?", { options: ["tabs", "spaces"] }),
};

const agents = [
  defineAgent({ id: "lead", role: "You lead.", default: true, handles: ["task"] }),
  defineAgent({ id: "coder", role: "You code." }),
];

export async function openIn(dir: string, over: Partial<OpenOptions> = {}): Promise<Project> {
  const model = toldModel(telling);
  return openProject({ dir, agents, model: model.name, findModel: () => model, report: () => undefined, ...over });
}

/** A project at rest with a tree of each kind. */
export async function template(): Promise<{ readonly dir: string; readonly trees: readonly string[] }> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-damage-"));
  const project = await openIn(dir);
  const begin = async (content: string) => {
    const dialog = await project.dialogs.create({ content });
    await project.dialogs.quiet(dialog.id);
    return dialog.id as string;
  };
  const asking = await begin("Please ask a person.");
  const timed = await begin("Please ask in time.");
  const waiting = await begin("Please ask the coder.");
  const resting = await begin("Say something.");
  const done = await begin("Say something and be done.");
  await project.dialogs.done(done);
  const twoCourses = await begin("Please ask a person after a break.");
  await project.dialogs.clearMind(twoCourses, { reminder: "Go on." });
  await project.dialogs.quiet(twoCourses);
  const stopped = await begin("Say something and stop.");
  await project.dialogs.stop(stopped);
  await project.tasks.create({ kind: "task", title: "Tidy up" });
  await project.tasks.run();
  const task = project.tasks.list()[0]?.dialogs[0] ?? "";
  await project.close();
  // Interrupted: nobody has driven it.
  const asker = await openIn(dir, { drive: "none" });
  const left = (await asker.dialogs.create({ content: "Say something later." })).id as string;
  await asker.close();
  return { dir, trees: [asking, timed, waiting, resting, done, twoCourses, stopped, task, left] };
}

export function copyOf(dir: string): string {
  const copy = mkdtempSync(join(tmpdir(), "colloquy-damaged-"));
  cpSync(dir, copy, { recursive: true });
  return copy;
}

/** Ways to damage a tree, chosen by two random numbers. */
export interface Victim {
  readonly folder: string;
  /** The folder of another tree. */
  readonly other: string;
  readonly pick: number;
  readonly place: number;
}

export const folderOf = (dir: string, rootId: string): string => {
  const place = ["run", "done", "archive"].find((one) => existsSync(join(dir, ".dialogs", one, rootId)));
  return join(dir, ".dialogs", place ?? "run", rootId);
};

const coursesOf = (folder: string) => readdirSync(folder).filter((name) => /^course-\d+\.jsonl$/.test(name));
const courseAt = ({ folder, pick }: Victim): string => {
  const names = coursesOf(folder);
  return join(folder, names[pick % names.length] ?? "course-001.jsonl");
};
const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
const write = (path: string, lines: readonly string[]) => writeFileSync(path, lines.map((line) => `${line}\n`).join(""));

function changeLine(victim: Victim, change: (line: string, lines: readonly string[], n: number) => readonly string[]): void {
  const path = courseAt(victim);
  const lines = linesOf(path);
  const n = victim.place % lines.length;
  write(path, [...lines.slice(0, n), ...change(lines[n] ?? "", lines, n), ...lines.slice(n + 1)]);
}

/** Replaces an event of a line. */
const changeEvent = (victim: Victim, change: (event: Record<string, unknown>) => unknown) =>
  changeLine(victim, (line) => {
    const parsed = JSON.parse(line) as { events?: Record<string, unknown>[] };
    const [first, ...others] = parsed.events ?? [];
    return [JSON.stringify(first ? { ...parsed, events: [change(first), ...others] } : { ...parsed, checkpoint: { seq: "none" } })];
  });

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ 0x08;
  writeFileSync(path, bytes);
}

export const damages: Readonly<Record<string, (victim: Victim) => void>> = {
  "its folder is gone": ({ folder }) => rmSync(folder, { recursive: true }),
  "a file is in place of its folder": ({ folder }) => {
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "not a folder");
  },
  "its folder is empty": ({ folder }) => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  },
  "its folder is elsewhere": ({ folder }) => renameSync(folder, folder.replace(/\/(run|done)\//, "/archive/")),
  "a course file is gone": (victim) => rmSync(courseAt(victim)),
  "a course file is empty": (victim) => truncateSync(courseAt(victim), 0),
  "a course file is cut off": (victim) => {
    const path = courseAt(victim);
    truncateSync(path, victim.place % readFileSync(path).length);
  },
  "a folder is in place of a course file": (victim) => {
    rmSync(courseAt(victim));
    mkdirSync(courseAt(victim));
  },
  "a bit is flipped": (victim) => flip(courseAt(victim), victim.place),
  "a line is gone": (victim) => changeLine(victim, () => []),
  "a line is there twice": (victim) => changeLine(victim, (line) => [line, line]),
  "a line is no JSON": (victim) => changeLine(victim, () => ["{oh"]),
  "a line is JSON of another shape": (victim) => changeLine(victim, () => ['{"hello":["world"]}']),
  "a line is null": (victim) => changeLine(victim, () => ["null"]),
  "an event is of an unknown type": (victim) => changeEvent(victim, (event) => ({ ...event, type: "dialog.danced" })),
  "an event has lost its fields": (victim) => changeEvent(victim, ({ type }) => ({ type })),
  "an event is null": (victim) => changeEvent(victim, () => null),
  "an event is of a dialog that is not there": (victim) => changeEvent(victim, (event) => ({ ...event, dialog: "0".repeat(32) })),
  "an event has fields of another kind": (victim) =>
    changeEvent(victim, (event) => Object.fromEntries(Object.entries(event).map(([key, value]) => [key, key === "type" ? value : 7]))),
  "its time is no time": (victim) => changeLine(victim, (line) => [line.replace(/"at":"[^"]*"/, '"at":"noon"')]),
  "lines of another tree follow": (victim) => {
    const path = courseAt(victim);
    write(path, [...linesOf(path), ...linesOf(join(victim.other, "course-001.jsonl")).slice(1)]);
  },
  "its lines are those of another tree": (victim) => {
    writeFileSync(courseAt(victim), readFileSync(join(victim.other, "course-001.jsonl")));
  },
  "its snapshot is another tree's state": (victim) => writeFileSync(join(victim.folder, "snapshot.json"), '{"v":2,"state":{}}'),
  "a folder is in place of its snapshot": ({ folder }) => mkdirSync(join(folder, "snapshot.json"), { recursive: true }),
  "a folder is in place of a file for people": ({ folder }) => {
    rmSync(join(folder, "latest.yaml"), { force: true });
    mkdirSync(join(folder, "latest.yaml", "deep"), { recursive: true });
  },
  "a file for people says something else": ({ folder }) => writeFileSync(join(folder, "latest.yaml"), "status: unheard-of\n"),
  "a file for people is gone": ({ folder }) => rmSync(join(folder, "dialog.yaml"), { force: true }),
};

/** Removes the index as well, so that it is rebuilt. */
export const loseIndex = (dir: string): void => rmSync(join(dir, ".dialogs", "index.jsonl"));
