// The sandbox on Linux: bubblewrap (bwrap) starts the command in new namespaces, where the system is readable, the project writable,
// and nothing else exists. Rules: docs/SPEC/shell.md; reasons: docs/adr/0009-sandbox.md.
import { existsSync } from "node:fs";
import { totalmem } from "node:os";
import { HIDDEN_ATTRIBUTES } from "../files/hidden.ts";
import { type Connect, noNetwork, pasta } from "./pasta.ts";
import { type Probing, probeNow } from "./probing.ts";
import { projectMounts } from "./project-mounts.ts";
import type { CommandLayer, CommandRequest, Sandbox, SpawnPlan } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";
import { shellArgs } from "./shell-args.ts";
import { systemMounts } from "./system-mounts.ts";

/** Never by PATH: a project could add its own there. */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
/** bwrap's maximum number of arguments, less those that we always pass. */
const MAX_ORDERS = 8_500;

const words = (text: string): readonly string[] => text.split(" ");
const BASE = words("--unshare-all --unshare-user --die-with-parent --new-session --cap-drop ALL");
/** Options of newer versions, used if they work. */
const STRICTER = ["--disable-userns"];
/** Bounds of what commands may keep in /tmp, /var/tmp and their home together, and in /dev/shm. All of it is memory. */
const TMP_BYTES = String(Math.floor(totalmem() / 4));
const SHM_BYTES = String(Math.floor(totalmem() / 16));

/** What this bubblewrap can do. */
interface Abilities {
  readonly file: string;
  readonly base: readonly string[];
  readonly limitsSize: boolean;
  readonly filter: Buffer | undefined;
}

/** bubblewrap, if it is installed and works. */
export const bubblewrap = (places: readonly string[] = PLACES): Sandbox | { readonly problem: string } => probeNow(findBubblewrap(places));

export function* findBubblewrap(places: readonly string[] = PLACES): Probing<Sandbox | { readonly problem: string }> {
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return { problem: "bubblewrap is missing" };
  const problem = yield* probe(file, BASE);
  if (problem !== undefined) return { problem: `bubblewrap does not work: ${problem}` };
  const base = (yield* probe(file, [...BASE, ...STRICTER])) === undefined ? [...BASE, ...STRICTER] : BASE;
  const limitsSize = (yield* probe(file, [...base, ...words("--size 1000000 --tmpfs /tmp")])) === undefined;
  const filter = seccompFilter();
  const abilities: Abilities = { file, base, limitsSize, filter };
  return {
    name: "bubblewrap",
    lacks: lacksOf(abilities),
    plan: (request) => plan(abilities, request),
    git: (layer) => ({ file, orders: [...base, ...identity(layer), ...ownPlaces(limitsSize), ...systemMounts("", "/", "none").orders] }),
  };
}

const lacksOf = ({ limitsSize, filter }: Abilities): readonly string[] => [
  ...(filter ? [] : [`a filter of system calls (there is none for ${process.arch})`]),
  ...(limitsSize ? [] : ["a limit for /tmp (bubblewrap 0.8 or later has it)"]),
];

/** The problem, if any. */
function* probe(file: string, base: readonly string[]): Probing<string | undefined> {
  const args = [
    "--ro-bind",
    "/",
    "/",
    ...base,
    ...words("--proc /proc --remount-ro /proc --dev /dev --tmpfs /tmp -- /bin/sh -c"),
    "exit 0",
  ];
  const { isWorking, complaint } = yield { file, args, env: {} };
  return isWorking ? undefined : complaint.split("\n")[0]?.replace(/^bwrap: /, "");
}

/**
 * /proc is read-only, since even an unprivileged root may turn the machine's knobs in /proc/sys. /tmp, /var/tmp and the home folder are
 * one file system, so one limit covers all. /dev is read-only: it would be another one without a limit.
 */
function ownPlaces(limitsSize: boolean): readonly string[] {
  const sized = (bytes: string) => (limitsSize ? ["--size", bytes] : []);
  return [
    ...words("--proc /proc --remount-ro /proc --dev /dev"),
    ...sized(SHM_BYTES),
    ...words("--perms 1777 --tmpfs /dev/shm --remount-ro /dev"),
    ...sized(TMP_BYTES),
    ...words("--perms 1777 --tmpfs /tmp --dir /var --symlink ../tmp /var/tmp --dir /run"),
  ];
}

/** An unprivileged root confuses programs: tar would try to chown files. */
function identity(layer: CommandLayer | undefined): readonly string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return words("--uid 1000 --gid 1000");
  return layer?.isInUserNamespace ? ["--uid", String(uid), "--gid", String(gid)] : [];
}

async function plan({ file, base, limitsSize, filter }: Abilities, request: CommandRequest): Promise<SpawnPlan> {
  const { root, cwd, command, network, env } = request;
  const connect = network === "own" ? await connectOrThrow() : undefined;
  const system = systemMounts(env["PATH"] ?? "", root, network);
  const project = await projectMounts(request);
  const orders = [
    ...base,
    ...(network === "none" ? [] : ["--share-net"]),
    ...identity(request.layer),
    ...ownPlaces(limitsSize),
    ...system.orders,
    // Where git looks for global ignore rules: closed paths can't be added to a repository, nor shown in a diff.
    ...words("--dir /tmp/home --file 4 /tmp/home/.config/git/ignore --file 10 /tmp/home/.config/git/attributes"),
    ...project.orders,
    ...(filter ? words("--seccomp 6") : []),
    ...words("--remount-ro / --chdir"),
    cwd,
  ];
  if (orders.length > MAX_ORDERS) {
    await project.finish();
    throw new Error("No command is run here: the project has too many hidden files to keep them all closed. See docs/SPEC/shell.md.");
  }
  // By descriptor, since the command line can be read inside.
  const args = ["--args", "3", "--json-status-fd", "5", "--", ...shellArgs(command)];
  return {
    ...enter(connect ? [file, ...NETWORK_AROUND, file, ...args] : [file, ...args], request.layer),
    ...(connect && { connection: { pidOn: 7, waitsOn: 8, connect } }),
    feeds: {
      3: orders.map((order) => `${order}\0`).join(""),
      4: project.hidden.map(ignoreLine).join(""),
      ...(filter && { 6: filter }),
      10: HIDDEN_ATTRIBUTES,
      ...project.feeds,
    },
    statusOn: 5,
    env: { ...env, PATH: system.path, HOME: "/tmp/home", TMPDIR: "/tmp" },
    cwd: "/",
    finish: project.finish,
  };
}

/**
 * A user and a network namespace around the sandbox, which the sandbox then shares. Its own couldn't be connected: by the time it
 * waits, it has given up the power over its network.
 */
const NETWORK_AROUND = words("--unshare-user --unshare-net --die-with-parent --dev-bind / / --info-fd 7 --block-fd 8 --");

function enter(command: readonly string[], layer: CommandLayer | undefined): Pick<SpawnPlan, "file" | "args"> {
  if (layer) return layer.enter(command);
  const [file = "", ...args] = command;
  return { file, args };
}

async function connectOrThrow(): Promise<Connect> {
  const found = await pasta();
  if (typeof found === "function") return found;
  throw new Error(`No command is run here: ${noNetwork(found.problem)}`);
}

const ignoreLine = (path: string): string => `/${path.replace(/[\\*?[\s]/g, String.raw`\$&`)}\n`;
