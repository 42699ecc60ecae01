import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
const execute = promisify(execFile);

/** As `npm pack` makes it, once for all tests of a run: they share their temporary folder. */
export function packed(): string {
  const tarball = join(tmpdir(), "colloquy-packed.tgz");
  if (existsSync(tarball)) return tarball;
  const dir = mkdtempSync(join(tmpdir(), "colloquy-tarball-"));
  // Without scripts, which would rebuild and remove dist/ under tests that run at the same time.
  const made = execFileSync("npm", ["pack", root, "--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", dir]);
  const [{ filename }] = JSON.parse(made.toString()) as [{ filename: string }];
  // Whole or not at all: another file may pack at the same time.
  renameSync(join(dir, filename), tarball);
  return tarball;
}

/** A folder outside the repository with the packed package and its declared dependencies only. */
export function packedFolder(files: Readonly<Record<string, string>>, beside: readonly string[] = []): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-packed-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const modules = join(dir, "node_modules");
  mkdirSync(modules);
  execFileSync("tar", ["-xzf", packed(), "-C", modules]);
  renameSync(join(modules, "package"), join(modules, "colloquy"));
  const { dependencies } = JSON.parse(readFileSync(join(modules, "colloquy/package.json"), "utf8")) as { dependencies: object };
  for (const name of [...Object.keys(dependencies), ...beside]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

export interface Ran {
  readonly code: number | string | undefined;
  readonly out: string;
  readonly err: string;
}

/** Runs a program in the folder, with only the given environment. */
export async function run(dir: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  try {
    const { stdout, stderr } = await execute(process.execPath, [...args], { cwd: dir, env: { PATH: process.env["PATH"] ?? "", ...env } });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, signal, stdout, stderr } = error as { code?: number; signal?: string; stdout: string; stderr: string };
    return { code: signal ?? code, out: stdout, err: stderr };
  }
}
