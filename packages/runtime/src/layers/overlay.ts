// overlayfs over the project's folder, in a separate mount namespace: the project below stays unchanged, and a command's writes go to
// `upper`. Root mounts it directly; everybody else in a user namespace, where a folder of the project can't be renamed (EXDEV) and a
// file of another owner can't be written (EOVERFLOW).
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { probeAside, probeNow, type Probing } from "../tools/shell/probing.ts";
import { LayerFolder } from "./layer-folder.ts";

/** How the overlay is mounted. Plain data, passed to a thread. */
export interface Overlay {
  readonly isPrivileged: boolean;
  readonly unshare: readonly string[];
  readonly mount: string;
  readonly options: string;
}

const READY_MS = 10_000;
/** The exit code of the shell below if the mount fails; mount complains as well, so a command's own exit code isn't mistaken for it. */
const NOT_MOUNTED = 125;

/**
 * `$1` the layer, `$2` the project, `$3` mount, `$4` options, `$5` the work folder. By descriptor, since options can't contain every
 * name.
 */
const ENTER = `cd "$1" && exec 9<"$2" && "$3" -t overlay overlay -o "$4,lowerdir=/proc/self/fd/9,upperdir=upper,workdir=$5" merged && exec 9<&- && cd / || exit ${NOT_MOUNTED}; shift 5; exec "$@"`;

const BASE = "index=off,metacopy=off,xino=off";
/** `volatile`: no sync when the command ends; sealing makes durable what matters. Older kernels don't support it. */
const WAYS = [
  { isPrivileged: true, unshare: ["--mount"], options: `${BASE},redirect_dir=on,volatile` },
  { isPrivileged: true, unshare: ["--mount"], options: `${BASE},redirect_dir=on` },
  { isPrivileged: false, unshare: ["--user", "--map-root-user", "--mount"], options: `${BASE},userxattr,volatile` },
  { isPrivileged: false, unshare: ["--user", "--map-root-user", "--mount"], options: `${BASE},userxattr` },
] as const;

const programAt = (name: string): string | undefined => [`/usr/bin/${name}`, `/bin/${name}`].find((place) => existsSync(place));

/** By file system: support differs. Only success is remembered. */
const working = new Map<number, Overlay>();

/** The overlay that works on the project's file system, tested on a scratch layer. */
export const overlayFor = (root: string): Overlay | undefined => probeNow(findOverlay(root));

const asides = new Map<string, Promise<Overlay | undefined>>();

/** The same, without blocking the process. */
export function findOutOverlay(root: string): Promise<Overlay | undefined> {
  const known = asides.get(root);
  if (known) return known;
  const found = probeAside(findOverlay(root)).finally(() => asides.delete(root));
  asides.set(root, found);
  return found;
}

function* findOverlay(root: string): Probing<Overlay | undefined> {
  if (process.platform !== "linux" || hasMountsInside(root)) return undefined;
  const { dev } = lstatSync(root);
  const known = working.get(dev);
  if (known) return known;
  const [unshare, mount] = [programAt("unshare"), programAt("mount")];
  if (unshare === undefined || mount === undefined) return undefined;
  for (const { isPrivileged, unshare: args, options } of WAYS) {
    if (isPrivileged && process.getuid?.() !== 0) continue;
    const overlay: Overlay = { isPrivileged, unshare: [unshare, ...args, "--"], mount, options };
    if (!(yield* tryOut(overlay, root))) continue;
    working.set(dev, overlay);
    return overlay;
  }
  return undefined;
}

let tries = 0;

function* tryOut(overlay: Overlay, root: string): Probing<boolean> {
  // One per probe: two calls may test at the same time.
  const layer = new LayerFolder(root, `probe-${process.pid}-${(tries += 1)}`);
  layer.make();
  try {
    // A file, a rename and a removal, as a command makes them.
    const trial = `cd "$0" && echo x >probe && mv probe probed && rm probed`;
    const { file, args } = inOverlay(overlay, layer, ["/bin/sh", "-c", trial, layer.merged]);
    return (yield { file, args, env: { PATH: "/usr/bin:/bin" } }).isWorking;
  } finally {
    layer.remove();
  }
}

/** Other file systems mounted inside the project are invisible through an overlay. */
function hasMountsInside(root: string): boolean {
  const plain = (text: string) => text.replace(/\\(\d{3})/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
  try {
    return readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .some((line) => plain(line.split(" ")[4] ?? "").startsWith(`${root}/`));
  } catch {
    return true; // Unknown.
  }
}

/**
 * The same command with the layer mounted at `layer.merged`. `reading`: read-only, with this work folder of the layer; each mount
 * clears its work folder, so two at a time need two. The process id stays the same: each program replaces the one before.
 */
export function inOverlay(
  { unshare, mount, options }: Overlay,
  layer: Pick<LayerFolder, "path" | "root">,
  command: readonly string[],
  reading?: string,
): { readonly file: string; readonly args: readonly string[] } {
  const [file = "", ...before] = unshare;
  // A volatile work folder can't be mounted a second time.
  const how = reading === undefined ? options : `ro,${options.replace(",volatile", "")}`;
  return {
    file,
    args: [...before, "/bin/sh", "-c", ENTER, "sh", layer.path, layer.root, mount, how, reading ?? "work", ...command],
  };
}

/** The whole layer, for reading. Close it. */
export class MergedView {
  readonly path: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, path: string) {
    this.#process = process;
    this.path = path;
  }

  static async open(overlay: Overlay, layer: LayerFolder): Promise<MergedView> {
    const { file, args } = inOverlay(overlay, layer, ["/bin/cat"], "reading");
    const child = spawn(file, args, { env: { PATH: "/usr/bin:/bin" }, stdio: ["pipe", "pipe", "pipe"] });
    // It echoes this once it runs, and runs until its input ends.
    child.stdin.on("error", () => {}); // It has ended, and reports why.
    child.stdin.write("ready");
    let complaint = "";
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString("utf8").slice(0, 2_000)));
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error("The layer could not be mounted in time."));
      }, READY_MS);
      child.stdout.once("data", () => {
        clearTimeout(timer);
        resolve();
      });
      child.once("error", reject);
      child.once("exit", () => {
        clearTimeout(timer);
        reject(new Error(`The layer could not be read. ${complaint}`.trim()));
      });
    });
    return new MergedView(child, `/proc/${child.pid}/root${layer.merged}`);
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const over = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await over;
  }
}
