// The network of a command with `shell.network`: a separate namespace, and pasta (Debian's passt), which carries connections from there
// to the outside. In the machine's own network a command would reach services on 127.0.0.1 and on abstract sockets: databases without a
// password, debuggers, the desktop.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Probing, probeAside } from "./probing.ts";

/** Never by PATH: a project could add its own there. */
const PLACES = ["/usr/bin/pasta", "/usr/local/bin/pasta", "/run/current-system/sw/bin/pasta"];

const words = (text: string): readonly string[] => text.split(" ");
/** Forwards no port in either direction, and the gateway's address doesn't lead to the machine's 127.0.0.1. */
const CLOSED = words("--config-net --no-map-gw -t none -u none -T none -U none --quiet");
/** An unused address. With the machine's own, pasta's default, the machine couldn't be reached at all. */
const OWN_ADDRESS = words("--address 192.0.0.2 --netmask 29 --gateway 192.0.0.1");

/** Connects the network namespace of a process. Returns a disconnect function; it also disconnects when we die. */
export type Connect = (pid: number) => Promise<() => void>;

let working: Connect | undefined;

/** pasta, if it is installed and works. Success is remembered; a failure may be fixed while we run. */
export async function pasta(places: readonly string[] = PLACES): Promise<Connect | { readonly problem: string }> {
  if (working && places === PLACES) return working;
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return { problem: "pasta is missing" };
  if (!isOpenToUs(TUN)) return { problem: `${TUN}, which pasta needs, is not open to this user` };
  // As root it would become nobody, who may not enter our namespaces.
  const options = [...CLOSED, ...(process.getuid?.() === 0 ? ["--runas", "0"] : [])];
  const found = await probeAside(workingOptions(file, [[...options, ...OWN_ADDRESS], options]));
  if ("problem" in found) return { problem: `pasta does not work: ${found.problem}` };
  const connect: Connect = (pid) => connected(file, found.options, pid);
  if (places === PLACES) working = connect;
  return connect;
}

/** Without it pasta waits for ever. */
const TUN = "/dev/net/tun";

function isOpenToUs(place: string): boolean {
  try {
    accessSync(place, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false; // Missing, or not accessible: the same to pasta.
  }
}

/** For people and agents: the problem, and what to do. */
export const noNetwork = (problem: string): string =>
  [
    `shell.network gives commands a network of their own, and ${problem}.`,
    ...(problem.endsWith("is missing") ? ["Install it: sudo apt-get install passt."] : []),
    "With shell.hostNetwork: true they share this machine's network instead, with all that listens on its 127.0.0.1.",
  ].join(" ");

/** Why commands can't have their own network, if they can't. */
export async function networkProblem(): Promise<string | undefined> {
  const found = await pasta();
  return typeof found === "function" ? undefined : noNetwork(found.problem);
}

/** The first one that works, or the problem with the first one. */
function* workingOptions(
  file: string,
  ways: readonly (readonly string[])[],
): Probing<{ readonly options: readonly string[] } | { readonly problem: string }> {
  const problems: string[] = [];
  for (const options of ways) {
    const { isWorking, complaint } = yield { file, args: [...options, "--", "/bin/true"], env: {} };
    if (isWorking) return { options };
    problems.push(complaint.split("\n").at(-1) ?? "");
  }
  return { problem: problems[0] ?? "" };
}

/** pasta goes into the background once it is ready. This shell waits for our end of the pipe to close, and then ends it. */
const KEEPER = '"$@" || exit 1; pid=$(cat "$0"); echo ready; read -r _; kill "$pid"';

function connected(file: string, options: readonly string[], pid: number): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "colloquy-net-"));
  const pidFile = join(folder, "pid");
  const keeper = spawn("/bin/sh", ["-c", KEEPER, pidFile, file, ...options, "--pid", pidFile, String(pid)], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdio: "pipe",
    detached: true,
  });
  keeper.stdin.on("error", () => {}); // It has already ended.
  let complaint = "";
  keeper.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  return new Promise<() => void>((resolve, reject) => {
    keeper.on("error", reject);
    keeper.on("exit", (code) => reject(new Error(`The network could not be connected: ${complaint.trim() || `pasta ended with ${code}`}`)));
    keeper.stdout.once("data", () => resolve(() => keeper.stdin.end()));
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}
