// The network of a command with `shell.network`: a namespace of its own, and pasta (Debian's passt), which carries connections from
// there to the outside. In the machine's own network a command would reach what listens on 127.0.0.1 and on abstract sockets:
// databases without a password, debuggers, the desktop.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Never by PATH: there a project could bring its own. */
const PLACES = ["/usr/bin/pasta", "/usr/local/bin/pasta", "/run/current-system/sw/bin/pasta"];
const PROBE_MS = 10_000;

const words = (text: string): readonly string[] => text.split(" ");
/** No port is forwarded in either direction, and the gateway's address does not lead to the machine's 127.0.0.1. */
const CLOSED = words("--config-net --no-map-gw -t none -u none -T none -U none --quiet");
/** An address that nobody has. With the machine's own, which pasta takes by default, the machine could not be reached at all. */
const OWN_ADDRESS = words("--address 192.0.0.2 --netmask 29 --gateway 192.0.0.1");

/** Connects the network namespace of a process. Gives the way to end that; it also ends when we die. */
export type Connect = (pid: number) => Promise<() => void>;

let working: Connect | undefined;

/** pasta, if it is there and works. One that works is remembered; one that does not may be mended while we run. */
export function pasta(places: readonly string[] = PLACES): Connect | { readonly problem: string } {
  if (working && places === PLACES) return working;
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return { problem: "pasta is missing" };
  // As root it would become nobody, who may not enter our namespaces.
  const options = [...CLOSED, ...(process.getuid?.() === 0 ? ["--runas", "0"] : [])];
  const tries = [[...options, ...OWN_ADDRESS], options].map((each) => ({ each, problem: probe(file, each) }));
  const found = tries.find(({ problem }) => problem === undefined);
  if (!found) return { problem: `pasta does not work: ${tries[0]?.problem}` };
  const connect: Connect = (pid) => connected(file, found.each, pid);
  if (places === PLACES) working = connect;
  return connect;
}

/** For people and agents: what is wrong, and what to do. */
export const noNetwork = (problem: string): string =>
  `shell.network gives commands a network of their own, and ${problem}. Install it: sudo apt-get install passt. Or set shell.hostNetwork: true, which lets commands reach what listens on this machine's 127.0.0.1.`;

/** Why commands cannot have a network of their own, if they cannot. */
export function networkProblem(): string | undefined {
  const found = pasta();
  return typeof found === "function" ? undefined : noNetwork(found.problem);
}

function probe(file: string, options: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(file, [...options, "--", "/bin/true"], {
    encoding: "utf8",
    timeout: PROBE_MS,
    env: {},
    cwd: "/",
  });
  return status === 0 ? undefined : (error?.message ?? (stderr.trim().split("\n").at(-1) || `it ended with ${status}`));
}

/** pasta goes into the background once it is ready. This shell waits there for our end of the pipe to close, and then ends it. */
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
  keeper.stdin.on("error", () => {}); // It has ended by itself.
  let complaint = "";
  keeper.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  return new Promise<() => void>((resolve, reject) => {
    keeper.on("error", reject);
    keeper.on("exit", (code) => reject(new Error(`The network could not be connected: ${complaint.trim() || `pasta ended with ${code}`}`)));
    keeper.stdout.once("data", () => resolve(() => keeper.stdin.end()));
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}
