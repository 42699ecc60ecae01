// The sandbox on Linux: bubblewrap (bwrap) starts the command in namespaces of its own, where the system can be read, the project
// written, and nothing else is there. See docs/SPEC/shell.md for the rules and docs/adr/0009-sandbox.md for the reasons.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { projectMounts } from "./project-mounts.ts";
import type { CommandRequest, Sandbox, SpawnPlan } from "./sandbox.ts";
import { shellArgs } from "./shell-args.ts";
import { systemMounts } from "./system-mounts.ts";

/** Never by PATH: there a project could bring its own. */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const PROBE_MS = 10_000;
/** What bwrap itself takes at most, less what we always say. */
const MOST_ORDERS = 8_500;

const words = (text: string): readonly string[] => text.split(" ");
const BASE = words("--unshare-all --unshare-user --die-with-parent --new-session --cap-drop ALL");
/** Of newer versions; used when they work. */
const STRICTER = ["--disable-userns"];

/** bubblewrap, if it is there and works. */
export function bubblewrap(places: readonly string[] = PLACES): Sandbox | { readonly problem: string } {
  const file = places.find((place) => existsSync(place));
  if (file === undefined) return { problem: "bubblewrap is missing" };
  const stricter = probe(file, [...BASE, ...STRICTER]);
  const plain = stricter === undefined ? undefined : probe(file, BASE);
  if (plain !== undefined) return { problem: `bubblewrap does not work: ${plain}` };
  const base = stricter === undefined ? [...BASE, ...STRICTER] : BASE;
  return { name: "bubblewrap", plan: (request) => plan(file, base, request) };
}

/** What is wrong, if anything. */
function probe(file: string, base: readonly string[]): string | undefined {
  const args = [...base, ...words("--ro-bind / / --proc /proc --remount-ro /proc --dev /dev --tmpfs /tmp -- /bin/sh -c"), "exit 0"];
  const { status, stderr, error } = spawnSync(file, args, { encoding: "utf8", timeout: PROBE_MS, env: {} });
  if (status === 0) return undefined;
  return (
    error?.message ??
    (stderr
      .trim()
      .split("\n")[0]
      ?.replace(/^bwrap: /, "") ||
      `it ended with ${status}`)
  );
}

async function plan(file: string, base: readonly string[], request: CommandRequest): Promise<SpawnPlan> {
  const { root, cwd, command, hasNetwork, env } = request;
  const system = systemMounts(env["PATH"] ?? "", root, hasNetwork);
  const project = await projectMounts(request);
  const orders = [
    ...base,
    ...(hasNetwork ? ["--share-net"] : []),
    // A root without powers is neither fish nor fowl: tar would try to give files away.
    ...(process.getuid?.() === 0 ? ["--uid", "1000", "--gid", "1000"] : []),
    // /proc read-only, since a root without powers may still turn the knobs of the machine in /proc/sys.
    ...words("--proc /proc --remount-ro /proc --dev /dev --tmpfs /tmp --tmpfs /var/tmp --dir /run"),
    ...system.orders,
    // Where git looks by itself for what to leave alone: what is closed cannot be added to a repository.
    ...words("--dir /tmp/home --file 4 /tmp/home/.config/git/ignore"),
    ...project.orders,
    ...words("--remount-ro / --chdir"),
    cwd,
  ];
  if (orders.length > MOST_ORDERS) {
    await project.finish();
    throw new Error("No command is run here: the project has too many hidden files to keep them all closed. See docs/SPEC/shell.md.");
  }
  return {
    file,
    // By a descriptor, since whatever stands on the command line can be read inside.
    args: ["--args", "3", "--", ...shellArgs(command)],
    feeds: [orders.map((order) => `${order}\0`).join(""), project.hidden.map(ignoreLine).join("")],
    env: { ...env, PATH: system.path, HOME: "/tmp/home", TMPDIR: "/tmp" },
    cwd: "/",
    finish: project.finish,
  };
}

const ignoreLine = (path: string): string => `/${path.replace(/[\\*?[\s]/g, String.raw`\$&`)}\n`;
