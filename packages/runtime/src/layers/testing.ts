// For tests: a project, commands on layers over it, and its content.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { StagedOutput } from "../calls/tool.ts";
import type { ShellSettings } from "../tools/shell/run-command.ts";
import { NOBODY, toolNamed } from "../tools/testing.ts";
import { layers } from "./layers.ts";

export function project(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-layers-"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  return dir;
}

/** The same, committed to a git repository. */
export function repository(files: Readonly<Record<string, string>> = {}): string {
  const dir = project(files);
  git(dir, "init", "--quiet", "--initial-branch=main");
  git(dir, "config", "user.email", "a@b");
  git(dir, "config", "user.name", "A");
  git(dir, "add", "--all");
  git(dir, "commit", "--quiet", "--allow-empty", "--message=first");
  return dir;
}

export const git = (dir: string, ...args: readonly string[]): string => execFileSync("git", args, { cwd: dir, encoding: "utf8" });

let calls = 0;
export const newCall = (): string => `call-${process.pid}-${(calls += 1)}`;

/** Runs a command, and leaves its effects on its layer. */
export async function stage(
  dir: string,
  command: string,
  {
    callId = newCall(),
    shell = {} as Partial<ShellSettings>,
    ...input
  }: { callId?: string; shell?: Partial<ShellSettings>; timeoutMs?: number } = {},
): Promise<{ readonly callId: string; readonly output: StagedOutput | string }> {
  const tool = toolNamed("run_command", shell);
  const parsed = await tool.parse({ command, ...input });
  if (!parsed.ok) throw new Error(parsed.problems);
  const { signal } = new AbortController();
  const context = { callId, signal, dialog: { rootId: "", selfId: "" }, agent: "lead", dir, ...NOBODY };
  const output = await tool.run(parsed.value, context);
  if (typeof output !== "string" && !(output instanceof StagedOutput)) throw new Error("run_command gave something else.");
  return { callId, output };
}

/** The same, for a command that must have changed something. */
export async function staged(dir: string, command: string, how: Parameters<typeof stage>[2] = {}) {
  const { callId, output } = await stage(dir, command, how);
  if (typeof output === "string") throw new Error(`It changed nothing: ${output}`);
  return {
    callId,
    text: output.output,
    effects: output.effects,
    shown: output.shown,
    touched: output.touched,
    apply: () => layers.apply(callId, dir),
  };
}

/** Every file, link and folder of a project with permissions and content, except Colloquy's own and git's data. */
export function contentOf(dir: string, isLeftOut = (path: string) => path === ".dialogs" || path === ".git"): readonly string[] {
  const look = (folder: string): readonly string[] =>
    readdirSync(join(dir, folder)).flatMap((name) => {
      const path = join(folder, name);
      if (isLeftOut(path)) return [];
      const stat = lstatSync(join(dir, path));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) return [`${path}/ ${mode}`, ...look(path)];
      return [
        stat.isSymbolicLink() ? `${path} -> ${readlinkSync(join(dir, path))}` : `${path} ${mode} ${readFileSync(join(dir, path), "utf8")}`,
      ];
    });
  return look("");
}
