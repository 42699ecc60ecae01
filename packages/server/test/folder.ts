import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { readServerFile } from "../src/server-file.ts";

const SETTINGS = `defaults: { model: scripted/play }
agents:
  lead: { name: Lead, role: "You lead.", default: true }
`;

const SCRIPT = `rules:
  - when: { result: askHuman }
    do: { say: "So be it." }
  - when: { text: decide }
    do: { call: { tool: askHuman, input: { headline: "Which one?", tellaskContent: "A or B?", options: [A, B] } } }
  - when: { text: wait for it }
    do: [{ wait: 3s }, { say: "At last." }]
  - do: { say: "I heard: {{text}}" }
`;

/** A project on disk whose agent repeats messages, and asks a person when told to decide. */
export function projectFolder(name = "shop"): string {
  const above = mkdtempSync(join(tmpdir(), "colloquy-server-"));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const dir = join(above, name);
  mkdirSync(join(dir, "scripts"), { recursive: true });
  writeFileSync(join(dir, "colloquy.yaml"), SETTINGS);
  writeFileSync(join(dir, "scripts/play.yaml"), SCRIPT);
  return dir;
}

export interface Victim {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly port: number;
  kill(signal: NodeJS.Signals): Promise<void>;
}

const script = fileURLToPath(new URL("./victim.ts", import.meta.url));

/** Starts a server process; throws its output if it does not start. */
export async function startVictim(dir: string, port = 0): Promise<Victim> {
  const child = spawn(process.execPath, [script, dir, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let [said, complained] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("\n")) resolve(said);
    });
    child.on("close", () => reject(new Error(complained.trim())));
  });
  const { url } = JSON.parse(line) as { url: string };
  return {
    child,
    url,
    token: readServerFile(dir)?.token ?? "",
    port: Number(new URL(url).port),
    async kill(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
