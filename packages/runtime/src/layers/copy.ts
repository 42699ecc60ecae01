import { spawn, spawnSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measureInThread } from "../tools/files/files-job.ts";
import { LayerFolder } from "./layer-folder.ts";

const COPY_MS = 120_000;
const ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C" };
const CP = "/usr/bin/cp";

/** Whether files can be copied here without copying their blocks (reflinks). */
export function canClone(root: string): boolean {
  if (process.platform !== "linux" || !existsSync(CP) || !existsSync(FIND)) return false;
  const layer = new LayerFolder(root, `probe-${process.pid}`);
  layer.make();
  const [from, to] = [join(layer.path, "probe"), join(layer.path, "probed")];
  writeFileSync(from, "x".repeat(8_192));
  const { status } = spawnSync(CP, ["--reflink=always", "--", from, to], { env: ENV, stdio: "ignore" });
  layer.remove();
  return status === 0;
}

/**
 * Copies the whole project except `.dialogs/` to the path where the layer would otherwise be mounted. Never by hard links: a write in
 * place would reach the original. Returns when it was complete, by the file system's clock; nothing if the project is too large or not
 * fully readable.
 */
export async function copyProject(layer: LayerFolder, signal: AbortSignal): Promise<bigint | undefined> {
  if (!existsSync(CP)) return undefined;
  const { isTooLarge, isTooDeep } = await measureInThread(layer.root, signal);
  if (isTooLarge || isTooDeep) return undefined;
  const names = readdirSync(layer.root, { encoding: "buffer" }).filter((name) => name.toString("utf8") !== ".dialogs");
  chmodSync(layer.merged, lstatSync(layer.root).mode & 0o7777);
  const list = Buffer.concat(names.flatMap((name) => [Buffer.from("./"), name, Buffer.from("\0")]));
  // A file that wasn't copied would look deleted by the command: copy all of them, or none.
  const args = ["-0", "-r", CP, "-a", "--reflink=auto", "-t", layer.merged, "--"];
  const isComplete = await new Promise<boolean>((resolve, reject) => {
    const child = spawn("/usr/bin/xargs", args, {
      cwd: layer.root,
      env: ENV,
      stdio: ["pipe", "ignore", "ignore"],
      timeout: COPY_MS,
      signal,
    });
    child.on("error", reject);
    child.on("close", (code) => resolve(code === 0));
    child.stdin?.on("error", () => {});
    child.stdin?.end(list);
  });
  if (!isComplete) return undefined;
  if (!(await listFolders(layer, signal))) return undefined;
  return lstatSync(layer.copied, { bigint: true }).ctimeNs;
}

const FIND = "/usr/bin/find";

/** Records where each folder is in the copy: if a command moves one folder over another, its files look as old as those that were there. */
async function listFolders(layer: LayerFolder, signal: AbortSignal): Promise<boolean> {
  const list = openSync(layer.copied, "w");
  try {
    return await new Promise<boolean>((resolve, reject) => {
      const child = spawn(FIND, [layer.merged, "-type", "d", "-printf", "%i %P\\0"], {
        env: ENV,
        stdio: ["ignore", list, "ignore"],
        timeout: COPY_MS,
        signal,
      });
      child.on("error", reject);
      child.on("close", (code) => resolve(code === 0));
    });
  } finally {
    closeSync(list);
  }
}

/** The folders of a copy when it was made: inode numbers by path. */
export function copiedFolders(layer: LayerFolder): ReadonlyMap<string, string> {
  return new Map(
    readFileSync(layer.copied, "utf8")
      .split("\0")
      .flatMap((line) => {
        const at = line.indexOf(" ");
        return at < 0 ? [] : [[line.slice(at + 1), line.slice(0, at)] as const];
      }),
  );
}
