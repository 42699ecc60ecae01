// For tests: a project with secrets in it and around it, and functions that try to reach them.
import { linkSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { applyAtOnce } from "../layers/apply/apply-at-once.ts";
import { StagedOutput, type Tool } from "../calls/tool.ts";
import { toolGroups } from "./shell/groups.ts";
import type { ShellSettings } from "./shell/run-command.ts";
import { type SandboxStatus, sandboxStatus } from "./shell/sandbox.ts";

/** In the content of every file that tools may not read, and in the name of every file that they may not see. */
export const SECRET = "TOPSECRET";

export interface HostileProject {
  /** The folder around the project. */
  readonly around: string;
  readonly dir: string;
  /** The files that must not change: hidden, protected, or outside. */
  readonly state: () => readonly string[];
}

const HIDDEN = [
  `.dialogs/run/${SECRET}-tree/course-001.jsonl`,
  `tasks/orders.tsk/${SECRET}-goals.md`,
  `docs/deep/plan.tsk/${SECRET}.md`,
  `memory/team/${SECRET}.md`,
  `memory/agents/lead/${SECRET}.md`,
  ".env",
  ".env.local",
  "apps/web/.env.production",
  "certs/server.pem",
  "certs/server.key",
  "deploy/id_ed25519",
  "deploy/.ssh/known",
  "apps/.npmrc",
  ".netrc",
];
const PROTECTED = [
  "colloquy.yaml",
  "agents/lead.md",
  "prd/search.md",
  ".git/config",
  ".git/hooks/pre-commit",
  "vendor/lib/.git/config",
  "vendor/lib/.git/hooks/post-merge",
];
const OUTSIDE = ["secret.txt", "other/colloquy.yaml", "home/.ssh/id_rsa"];

export function hostileProject(): HostileProject {
  const around = mkdtempSync(join(tmpdir(), "colloquy-hostile-"));
  const dir = join(around, "shop");
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  mkdirSync(dir);
  spawnSync("git", ["init", "--quiet", dir]);
  for (const path of HIDDEN) put(join(dir, path), `${SECRET} in ${path}\n`);
  for (const path of PROTECTED) put(join(dir, path), path.endsWith("config") ? "[core]\n\tbare = false\n" : `# ${path}\n`);
  for (const path of OUTSIDE) put(join(around, path), `${SECRET} outside in ${path}\n`);
  put(join(dir, "src/a.txt"), "one\ntwo\nthree\n");
  put(join(dir, "apps/web/page.html"), "<p>open</p>\n");
  symlinkSync("../secret.txt", join(dir, "link-out.txt"));
  symlinkSync("..", join(dir, "up"));
  symlinkSync(".dialogs", join(dir, "diary"));
  symlinkSync("tasks/orders.tsk", join(dir, "src/orders"));
  symlinkSync("../.env", join(dir, "src/settings"));
  symlinkSync(join(around, "not-there-yet"), join(dir, "dangling"));
  symlinkSync("/proc/self/cwd", join(dir, "here"));
  linkSync(join(dir, ".env"), join(dir, "src/hard-env.txt"));
  linkSync(join(dir, `tasks/orders.tsk/${SECRET}-goals.md`), join(dir, "src/hard-goals.txt"));
  linkSync(join(around, "secret.txt"), join(dir, "src/hard-out.txt"));
  // Enough for git to treat both as repositories.
  for (const git of [join(dir, ".git"), join(dir, "vendor/lib/.git")]) put(join(git, "HEAD"), "ref: refs/heads/main\n");
  return { around, dir, state: () => stateOf(around) };
}

/** Hidden and protected names, listed independently of the code under test. */
const CLOSED = /\.tsk|\.dialogs|memory|\.env|\.pem|\.key|id_|\.ssh|\.npmrc|\.netrc|agents|colloquy\.yaml|hooks|config/i;

/** Every file around the project, and every closed one in it, with mode and content. */
function stateOf(base: string): readonly string[] {
  const look = (folder: string): readonly string[] =>
    readdirSync(join(base, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (path === join("shop", ".dialogs", "refused") || path === join("shop", ".dialogs", "layers")) return [];
      const below = entry.isDirectory() ? look(path) : [];
      if (path.startsWith("shop/") && !CLOSED.test(path)) return below;
      const content = entry.isFile()
        ? readFileSync(join(base, path), "utf8")
        : entry.isSymbolicLink()
          ? readlinkSync(join(base, path))
          : "";
      return [`${path} ${lstatSync(join(base, path)).mode} ${content}`, ...below];
    });
  return look("");
}

export interface Used {
  readonly text: string;
  readonly isError: boolean;
}

/** A tool's context without people and without a log. */
export const NOBODY = {
  resume: undefined,
  ask: () => Promise.reject(new Error("nobody is here")),
  log: () => undefined,
  blob: async (kept: string) => kept,
};

/** Uses a tool as the runtime would, without recording anything. */
export async function use(
  dir: string,
  name: string,
  input: object,
  over: { readonly shell?: Partial<ShellSettings>; readonly signal?: AbortSignal; readonly callId?: string } = {},
): Promise<string> {
  const tool = toolNamed(name, over.shell);
  const parsed = await tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.problems);
  const output = await tool.run(parsed.value, {
    callId: over.callId ?? "0".repeat(32),
    signal: over.signal ?? new AbortController().signal,
    dialog: { rootId: "", selfId: "" },
    agent: "lead",
    dir,
    ...NOBODY,
  });
  if (output instanceof StagedOutput) return applyAtOnce(tool, output, over.callId ?? "0".repeat(32), dir);
  if (typeof output !== "string") throw new Error(`${name} gave no text.`);
  return output;
}

export function toolNamed(name: string, { programs = () => [], ...shell }: Partial<ShellSettings> = {}): Tool {
  const groups = toolGroups({ shell: { network: "none", env: process.env, ...shell }, programs });
  const tool = Object.values(groups)
    .flat()
    .find((one) => one.offer.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return tool;
}

/** The tool's result, or its error. */
export async function tryToUse(...args: Parameters<typeof use>): Promise<Used> {
  try {
    return { text: await use(...args), isError: false };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isError: true };
  }
}

/** The machine's sandbox without layers: commands write directly into the project. */
export function withoutLayers(): SandboxStatus {
  const status = sandboxStatus();
  if (!status.isIsolated) return status;
  const { sandbox } = status;
  return { isIsolated: true, sandbox: { name: sandbox.name, lacks: sandbox.lacks, plan: (request) => sandbox.plan(request) } };
}
