import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sandboxStatus, type Tool, toolGroups } from "@colloquy/runtime";
import { median, newFolder, timed } from "./bare.ts";
import { type Figure, Skipped } from "./figure.ts";

const FILES = 60_000;
const FILES_IN_FOLDER = 20;
const ROUNDS = 15;

const COMMANDS = {
  "a command that changes a file": "echo x >> notes.txt",
  "a command that makes a file": "echo x > new-$RANDOM$RANDOM.txt",
  "a command that changes nothing": "true",
} as const;

/** The cost of a layer for a command in a repository of 60,000 files, applying included, against the same sandbox without one. */
export async function commands(): Promise<Figure[]> {
  const status = sandboxStatus();
  if (!status.isIsolated) throw new Skipped(status.reason);
  const { sandbox } = status;
  const dir = repository();
  const onLayer = shell();
  const direct = shell(() => ({ isIsolated: true, sandbox: { name: sandbox.name, lacks: [], plan: (request) => sandbox.plan(request) } }));
  const figures: Figure[] = [];
  for (const [name, command] of Object.entries(COMMANDS)) {
    const [layered, plain]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      layered.push(await timed(() => run(onLayer, dir, command)));
      plain.push(await timed(() => run(direct, dir, command)));
    }
    const [ours, theirs] = [median(layered), median(plain)];
    figures.push({
      name,
      value: ours - theirs,
      unit: "ms more on a layer",
      limit: 30,
      note: `${ours.toFixed(0)} ms against ${theirs.toFixed(0)} ms, ${(ours / theirs).toFixed(2)} ×`,
    });
  }
  return figures;
}

function repository(): string {
  const dir = newFolder("commands");
  for (let at = 0; at < FILES / FILES_IN_FOLDER; at++) {
    const folder = join(dir, `part${at % 60}`, `module${Math.floor(at / 60)}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < FILES_IN_FOLDER; file++) writeFileSync(join(folder, `file${file}.ts`), `export const value = ${at};\n`);
  }
  writeFileSync(join(dir, "notes.txt"), "one\n");
  const git = (...args: readonly string[]) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd: dir });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=first");
  return dir;
}

function shell(status?: typeof sandboxStatus): Tool {
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const [tool] = toolGroups({ shell: { network: "none", env, ...(status && { status }) } })["shell"] ?? [];
  if (!tool) throw new Error("There is no shell.");
  return tool;
}

let calls = 0;

async function run(tool: Tool, dir: string, command: string): Promise<void> {
  const callId = `call-${process.pid}-${(calls += 1)}`;
  const parsed = await tool.parse({ command });
  if (!parsed.ok) throw new Error(parsed.problems);
  const { signal } = new AbortController();
  const output = await tool.run(parsed.value, { callId, signal, dialog: { rootId: "", selfId: "" }, agent: "lead", dir } as never);
  if (typeof output !== "string") await tool.staged?.apply(callId, dir);
}
