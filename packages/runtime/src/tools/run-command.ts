import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import type { Tool } from "../tool.ts";
import { commandEnv, type Environment } from "./command-env.ts";
import { OutOfReach } from "./open-at.ts";
import { kindAt, placeToRead } from "./place.ts";
import { type Ran, runProcess } from "./run-process.ts";
import { type CommandNetwork, type CommandRequest, sandboxStatus, type SandboxStatus, type SpawnPlan } from "./sandbox.ts";
import { shellArgs } from "./shell-args.ts";
import { MARK } from "./strays.ts";

const TIMEOUT_MS = 120_000;
const LONGEST_MS = 3_600_000;
/** What the runtime shows of a result, less some room. */
const SHOWN_CHARACTERS = 29_000;

export interface ShellSettings {
  readonly network: CommandNetwork;
  /** Ours, of which a command gets next to nothing. */
  readonly env: Environment;
  /** How commands are isolated here; default: as well as the machine can. */
  readonly status?: () => SandboxStatus;
  /** What commands may not write because we run it. */
  readonly programs: () => readonly string[];
}

export function runCommand({ network, env, status = sandboxStatus, programs }: ShellSettings): Tool {
  return defineTool({
    name: "run_command",
    description: [
      "Runs a shell command (bash) in the project's folder and gives its exit code and output.",
      "It sees the system's programs and the project, but nothing hidden or outside, and none of your keys; nobody can type into it, and whatever it starts ends with it.",
      network !== "none" ? "The network can be reached." : "There is no network.",
      "Prefer the file tools for reading and changing files.",
    ].join(" "),
    input: z.strictObject({
      command: z.string().min(1).max(100_000),
      cwd: z.string().default(".").describe("the folder to run it in, relative to the project's"),
      timeoutMs: z.number().int().positive().max(LONGEST_MS).default(TIMEOUT_MS).describe("when it is ended"),
    }),
    // Its own limit comes first, so that the output until then is not lost.
    timeoutMs: LONGEST_MS + 60_000,
    approval: () => {
      const isolation = status();
      return isolation.isIsolated ? false : `${isolation.reason} This one can read and change whatever you can, on the whole machine.`;
    },
    async run({ command, cwd, timeoutMs }, { dir, callId, signal }) {
      if (command.includes("\0")) throw new Error("A command has no zero bytes.");
      const { root, inside } = folderOf(dir, cwd);
      const request: CommandRequest = {
        command,
        root,
        cwd: join(root, inside),
        network,
        env: commandEnv(env, network !== "none"),
        programs: programs(),
        callId,
        signal,
      };
      const isolation = status();
      const plan = isolation.isIsolated ? await isolation.sandbox.plan(request) : unprotected(request);
      let ran: Ran;
      let notes: readonly string[] = [];
      try {
        ran = await runProcess(plan, timeoutMs, signal);
      } finally {
        notes = await plan.finish();
      }
      if (ran.notStarted !== undefined) throw new Error(`The command was not run: the sandbox could not be made. ${ran.notStarted}`);
      const tried = WROTE_REQUIREMENTS.test(ran.output) ? [REQUIREMENTS_NOTE] : [];
      return report(ran, timeoutMs, [...notes, ...tried]);
    },
  });
}

/** A shell says only that it could not be written. */
const WROTE_REQUIREMENTS = /\bprd\b.*(?:Read-only file system|Device or resource busy)/i;
const REQUIREMENTS_NOTE = "prd/ is read-only for commands: the requirements change only through update_prd.";

function folderOf(dir: string, path: string): { readonly root: string; readonly inside: string } {
  const place = placeToRead(dir, path);
  if (kindAt(place) !== "folder") throw new OutOfReach(`"${path}" is not a folder.`);
  return place;
}

/** Approved by a person, and with nothing of our environment. */
function unprotected({ command, cwd, env }: CommandRequest): SpawnPlan {
  const home = mkdtempSync(join(tmpdir(), "colloquy-home-"));
  const [file = "/bin/sh", ...args] = shellArgs(command);
  return {
    file,
    args,
    env: { ...env, HOME: home, [MARK]: home },
    cwd,
    feeds: {},
    finish: async () => {
      rmSync(home, { recursive: true, force: true });
      return [];
    },
  };
}

/** How it ended comes first: of a long output only the beginning may be shown. */
function report({ code, signal, output, endedFor }: Ran, timeoutMs: number, notes: readonly string[]): string {
  const end =
    endedFor === "time"
      ? `Ended after ${timeoutMs / 1000} s, which was its limit (timeoutMs). How far it came is unknown.`
      : endedFor === "output"
        ? "Ended, since its output was beyond all limits. How far it came is unknown."
        : signal !== undefined
          ? `Ended by ${signal}.`
          : `Exit code ${code}.`;
  const long =
    output.length > SHOWN_CHARACTERS
      ? [`The output has ${output.length} characters. To read all of it, write it to a file (command > out.txt 2>&1) and use read_file.`]
      : [];
  return [end, ...notes, ...long, output.trimEnd() === "" ? "(no output)" : output.replace(/\n$/, "")].join("\n");
}
