import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openProject, type OpenOptions, type Project, type RootId } from "@colloquy/library";
import type { ModelRequest } from "@colloquy/models";
import type { TreeEventOf } from "@colloquy/schema";
import { type Telling, toldModel } from "@colloquy/testing/internals";
import { onTestFinished } from "vitest";

export const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
export const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

/** A separate folder, removed after the test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-mcp-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

type ServerSettings = Readonly<Record<string, unknown>>;

export const everything: ServerSettings = { command: process.execPath, args: [EVERYTHING] };
export const small = (mode: string, diary?: string, more: ServerSettings = {}): ServerSettings => ({
  command: process.execPath,
  args: [fixture("small-server.mjs"), mode, ...(diary === undefined ? [] : [diary])],
  ...more,
});
export const modern = (diary: string): ServerSettings => ({ command: process.execPath, args: [fixture("modern-server.mjs"), diary] });

export interface Setting {
  readonly servers: Readonly<Record<string, ServerSettings>>;
  readonly tools: readonly string[];
  readonly telling: Telling;
  readonly dir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Partial<OpenOptions>;
}

export interface Opened {
  readonly project: Project;
  readonly dir: string;
  readonly requests: readonly ModelRequest[];
  readonly results: (rootId: RootId) => Promise<readonly TreeEventOf<"call.ended">[]>;
}

/** A tool that its server doesn't call read-only would ask first. */
export const ALLOWED = { "*__*": "allow" } as const;

export function writeSettings(dir: string, servers: Setting["servers"], tools: Setting["tools"]): void {
  const settings = {
    defaults: { model: "told/model" },
    agents: { lead: { role: "You lead.", tools } },
    mcp: { servers },
    permissions: ALLOWED,
  };
  writeFileSync(join(dir, "colloquy.yaml"), JSON.stringify(settings));
}

/** A project whose agent follows orders and has these servers. */
export async function open({ servers, tools, telling, dir = folder(), env = {}, options = {} }: Setting): Promise<Opened> {
  writeSettings(dir, servers, tools);
  const requests: ModelRequest[] = [];
  const model = toldModel(telling, requests);
  const given = { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...env };
  const project = await openProject({ dir, env: given, findModel: () => model, report: () => undefined, ...options });
  onTestFinished(() => project.close());
  return {
    project,
    dir,
    requests,
    results: async (rootId) =>
      (await project.dialogs.events(rootId))
        .flatMap((line) => line.events)
        .flatMap((event) => (event.type === "call.ended" ? [event] : [])),
  };
}

/** A server's log, line by line. */
export const diaryOf = (path: string): readonly string[] => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // No such process.
  }
}
