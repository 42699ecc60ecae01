import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { shownByGit } from "@colloquy/core";
import { z } from "zod";
import { defineTool } from "../../calls/define-tool.ts";
import { layersWith, rememberMade } from "../../layers/layers.ts";
import { limitWords } from "../../layers/overlay-limits.ts";
import { RunningLayer } from "../../layers/running-layer.ts";
import { waitingBytes, MAX_WAITING_BYTES } from "../../layers/waiting.ts";
import { StagedOutput, type Tool } from "../../calls/tool.ts";
import { commandEnv, type Environment } from "./command-env.ts";
import { printable } from "../files/listing.ts";
import { OutOfReach } from "../files/open-at.ts";
import { kindAt, placeToRead } from "../files/resolved-path.ts";
import { type Ran, runProcess } from "./run-process.ts";
import {
  type CommandNetwork,
  type CommandRequest,
  findOutSandbox,
  type Sandbox,
  sandboxStatus,
  type SandboxStatus,
  type SpawnPlan,
} from "./sandbox.ts";
import { shellArgs } from "./shell-args.ts";
import { hiddenIn } from "./stand-ins.ts";
import { MARK } from "./strays.ts";
import type { ToolTexts } from "../tool-texts.ts";

const TIMEOUT_MS = 120_000;
const MAX_MS = 3_600_000;
/** Bound of a result that the runtime shows, less some room. */
const SHOWN_CHARACTERS = 29_000;

export interface ShellSettings {
  readonly network: CommandNetwork;
  /** Our environment, of which a command gets next to nothing. */
  readonly env: Environment;
  /** How commands are isolated here; default: as well as the machine can. */
  readonly status?: () => SandboxStatus;
  /** Paths that commands may not write because we run them. */
  readonly programs: () => readonly string[];
  readonly texts: ToolTexts;
}

export function runCommand({ network, env, status = sandboxStatus, programs, texts }: ShellSettings): Tool {
  const tool = defineTool({
    name: "run_command",
    description: texts.runCommand(network !== "none"),
    input: z.strictObject({
      command: z.string().min(1).max(100_000),
      cwd: z.string().default(".").describe(texts.cwd),
      timeoutMs: z.number().int().positive().max(MAX_MS).default(TIMEOUT_MS).describe(texts.timeoutMs),
    }),
    // Its own timeout comes first, so that the output until then isn't lost.
    timeoutMs: MAX_MS + 60_000,
    approval: () => {
      const isolation = status();
      return isolation.isIsolated ? false : `${isolation.reason} This one can read and change whatever you can, on the whole machine.`;
    },
    async run({ command, cwd, timeoutMs }, { dir, callId, signal }) {
      if (command.includes("\0")) throw new Error("A command has no zero bytes.");
      const { root, inside } = folderOf(dir, cwd);
      assertNothingHiddenShown(root, command, inside);
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
      if (!isolation.isIsolated) return runDirectly(unprotected(request), timeoutMs, signal);
      const { sandbox } = isolation;
      const layer = sandbox.git && (await RunningLayer.begin(root, callId, signal));
      if (!layer) {
        // It was judged by its effects on a layer; the next one will be judged by its words.
        if (promises.delete(root)) throw new Error("The command was not run: no layer could be made for what it does. Try again.");
        return runDirectly(await sandbox.plan(request), timeoutMs, signal);
      }
      return runOnLayer(sandbox, layer, request, timeoutMs);
    },
  });
  /** Projects whose commands were judged by their effects. */
  const promises = new Set<string>();
  const holdsAll = (dir: string): boolean => {
    const isolation = status();
    if (network !== "none" || !isolation.isIsolated || !isolation.sandbox.git || !existsSync(dir)) return false;
    const root = realpathSync.native(dir);
    const isPossible = RunningLayer.isPossible(root);
    if (isPossible) promises.add(root);
    return isPossible;
  };
  const tryOut = async (dir: string): Promise<void> => {
    if (status === sandboxStatus) await findOutSandbox();
    if (network === "none" && existsSync(dir)) await RunningLayer.tryOut(realpathSync.native(dir));
  };
  return { ...tool, staged: { ...layersWith(programs), holdsAll, tryOut } };
}

/** Old versions of a hidden file are as closed as the file. This doesn't see what git shows without a path. */
function assertNothingHiddenShown(root: string, command: string, folder: string): void {
  const isHidden = hiddenIn(root);
  for (const { path, folder: place } of shownByGit(command, folder === "" ? "." : folder)) {
    const names = [path, posix.join(place, path)].map((name) => posix.normalize(name));
    if (names.some(isHidden)) throw new OutOfReach(`"${path}" is not open to tools, nor are its versions in git.`);
  }
}

/** Directly in the project, if no layer is possible. */
async function runDirectly(plan: SpawnPlan, timeoutMs: number, signal: AbortSignal): Promise<string> {
  let ran: Ran;
  let notes: readonly string[] = [];
  try {
    ran = await runProcess(plan, timeoutMs, signal);
  } finally {
    notes = await plan.finish();
  }
  return report(checked(ran), timeoutMs, [...notes, ...requirementNotes(ran)], false);
}

/** Its effects wait on the layer, and the project is unchanged. */
async function runOnLayer(
  sandbox: Sandbox,
  first: RunningLayer,
  request: CommandRequest,
  timeoutMs: number,
): Promise<string | StagedOutput> {
  const { root, callId, signal } = request;
  let layer = first;
  let isKept = false;
  try {
    let ran = await runIn(sandbox, layer, request, timeoutMs);
    // Never run twice with a network: an effect there couldn't be undone.
    if (layer.hasLimits && request.network === "none" && limitWords(request.env).test(ran.output)) {
      const copy = await RunningLayer.beginCopy(root, callId, signal);
      if (!copy) return report(ran, timeoutMs, [NO_COPY]);
      layer = copy;
      ran = await runIn(sandbox, layer, request, timeoutMs);
    }
    const notes = requirementNotes(ran);
    // How far it got is unknown, so there is nothing to judge.
    if (ran.endedFor !== undefined) return report(ran, timeoutMs, notes);
    const sealed = await layer.seal(sandbox.git?.(layer), request.programs, signal);
    if (sealed.kind === "tooLarge") return report(ran, timeoutMs, [...notes, TOO_LARGE]);
    if (sealed.kind === "tooDeep") return report(ran, timeoutMs, [...notes, TOO_DEEP]);
    if (sealed.kind === "unchanged") return report(ran, timeoutMs, [...notes, ...refusedNotes(sealed.refused)]);
    if (waitingBytes(root, callId) + sealed.bytes > MAX_WAITING_BYTES)
      throw new Error(
        "Nothing of what the command did is kept: too much waits for approval in this project already. Wait until it is decided.",
      );
    isKept = true;
    rememberMade(root, callId, sealed.made);
    const output = report(ran, timeoutMs, [...notes, ...refusedNotes(sealed.effects.refused)]);
    return new StagedOutput(output, sealed.effects, sealed.shown, sealed.touched);
  } finally {
    if (!isKept) await layer.remove();
  }
}

async function runIn(sandbox: Sandbox, layer: RunningLayer, request: CommandRequest, timeoutMs: number): Promise<Ran> {
  const plan = await sandbox.plan({ ...request, layer });
  try {
    return checked(await runProcess(plan, timeoutMs, request.signal));
  } finally {
    await plan.finish();
  }
}

function checked(ran: Ran): Ran {
  if (ran.notStarted !== undefined) throw new Error(`The command was not run: the sandbox could not be made. ${ran.notStarted}`);
  return ran;
}

const NO_COPY =
  "It met a limit of the layer it ran on, and the project could not be copied for a second try. Nothing of what it did was kept.";
const TOO_DEEP = "It made folders inside folders, deeper than a path can name (3,500 bytes). Nothing of it was kept.";
const TOO_LARGE = "It wrote more than 4 GB or 500,000 files, which is more than a command may. Nothing of it was kept.";

function refusedNotes(refused: readonly string[]): readonly string[] {
  return refused.length === 0 ? [] : [`Tools may not make or change ${refused.map(printable).join(", ")}. That part was left out.`];
}

const requirementNotes = ({ failedOnRequirements }: Ran): readonly string[] => (failedOnRequirements ? [REQUIREMENTS_NOTE] : []);

const REQUIREMENTS_NOTE = "prd/ is read-only for commands: the requirements change only through update_prd.";

function folderOf(dir: string, path: string): { readonly root: string; readonly inside: string } {
  const place = placeToRead(dir, path);
  if (kindAt(place) !== "folder") throw new OutOfReach(`"${path}" is not a folder.`);
  return place;
}

/** Approved by a person, and with next to nothing of our environment. */
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

const NOTHING_KEPT = "Nothing of what it did was kept.";

/** The exit status comes first: only the beginning of a long output may be shown. */
function report({ code, signal, output, endedFor }: Ran, timeoutMs: number, notes: readonly string[], isOnLayer = true): string {
  const end =
    endedFor === "time"
      ? `Ended after ${timeoutMs / 1000} s, which was its limit (timeoutMs). ${isOnLayer ? NOTHING_KEPT : "How far it came is unknown."}`
      : endedFor === "output"
        ? `Ended, since its output was beyond all limits. ${isOnLayer ? NOTHING_KEPT : "How far it came is unknown."}`
        : signal !== undefined
          ? `Ended by ${signal}.`
          : `Exit code ${code}.`;
  const long =
    output.length > SHOWN_CHARACTERS
      ? [`The output has ${output.length} characters. To read all of it, write it to a file (command > out.txt 2>&1) and use read_file.`]
      : [];
  return [end, ...notes, ...long, output.trimEnd() === "" ? "(no output)" : output.endsWith("\n") ? output.slice(0, -1) : output].join(
    "\n",
  );
}
