// The overlay of an unprivileged user, in a user namespace. Run as root, the test switches to another user.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { numberOf } from "../tools/shell/seccomp.ts";
import { contentOf, git } from "./testing.ts";

const UID = 12_345;
const isRoot = process.getuid?.() === 0;
const asSomebody = isRoot ? ["/usr/bin/setpriv", "--reuid", String(UID), "--regid", String(UID), "--clear-groups", "--"] : [];
const testing = fileURLToPath(new URL("./testing.ts", import.meta.url));

/** A kernel may forbid user namespaces to everybody but root: then there is nothing to test. */
const [unshare, ...trial] = [...asSomebody, "/usr/bin/unshare", "--user", "--map-root-user", "--mount", "/bin/true"];
const isAllowed = spawnSync(unshare, trial).status === 0;

function somebodysProject(script: string): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-somebody-"));
  for (let folder = dir; folder.startsWith(tmpdir()) && folder !== "/tmp"; folder = dirname(folder)) chmodSync(folder, 0o755);
  if (isRoot) chownSync(dir, UID, UID);
  as(`cd ${dir}; umask 022; ${script}`);
  return dir;
}

function as(script: string): string {
  const [file, ...args] = [...asSomebody, "/bin/sh", "-c", script];
  const { stdout, stderr, status } = spawnSync(file, args, { encoding: "utf8", env: ENV });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", LANG: "C.UTF-8" };

/** Runs a command and applies its effects, in a process of another user. */
function apply(
  dir: string,
  command: string,
  shell = "{}",
): { readonly text: string; readonly conflicts: readonly string[]; readonly kinds: readonly string[] } {
  const script = `import { stage } from ${JSON.stringify(testing)};
    import { layers } from ${JSON.stringify(join(dirname(testing), "layers.ts"))};
    const { callId, output } = await stage(${JSON.stringify(dir)}, ${JSON.stringify(command)}, { shell: ${shell} });
    const { conflicts } = typeof output === "string" ? { conflicts: [] } : await layers.apply(callId, ${JSON.stringify(dir)});
    const kinds = typeof output === "string" ? [] : output.effects.files.map(({ kind, path }) => kind + " " + path);
    console.log(JSON.stringify({ text: typeof output === "string" ? output : output.output, conflicts, kinds }));`;
  const [file, ...args] = [...asSomebody, process.execPath, "--input-type=module-typescript", "--eval", script];
  const { stdout, stderr, status } = spawnSync(file, args, { encoding: "utf8", cwd: "/", env: ENV });
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as ReturnType<typeof apply>;
}

test.runIf(isAllowed)("[LY12] without root, files are written, removed and chmodded on a layer", () => {
  const dir = somebodysProject("mkdir -p src/deep; echo one > src/a; echo two > src/deep/b");
  const { text, kinds } = apply(
    dir,
    "id -u; echo more >> src/a; rm -r src/deep; mkdir src/deep n; echo n > n/n; chmod 000 n/n n; chmod 700 src/a",
  );
  expect(text).toBe(`Exit code 0.\n${isRoot ? UID : process.getuid?.()}`);
  expect(kinds).toEqual(["deleted src/deep/b", "changed src/a", "created n/n"]);
  expect(contentOf(dir)).toEqual(["n/ 0", "n/n 0 n\n", "src/ 755", "src/a 700 one\nmore\n", "src/deep/ 755"]);
});

test.runIf(isAllowed)("[LY12] a folder can still be renamed, also by git", () => {
  const dir = somebodysProject(
    "git init -q; git config user.email a@b; git config user.name A; mkdir src; echo a > src/a; echo b > src/b; git add -A; git commit -qm first",
  );
  const moved = apply(dir, "git mv src lib && git commit -qm moved");
  expect(moved).toMatchObject({ text: expect.stringMatching(/^Exit code 0\./), conflicts: [], kinds: ["moved lib"] });
  expect(apply(dir, "node -e \"require('fs').renameSync('lib','again')\"")).toMatchObject({
    text: expect.stringMatching(/^Exit code 0\./),
    kinds: ["moved again"],
  });
  expect(readdirSync(dir).toSorted()).toEqual([".dialogs", ".git", "again"]);
  if (isRoot) expect(git(dir, "-c", `safe.directory=${dir}`, "log", "--format=%s")).toBe("moved\nfirst\n");
});

test.runIf(isAllowed)("[LY12] with network access it isn't run twice, and reports the problem", () => {
  const dir = somebodysProject("mkdir src; echo a > src/a");
  const { text } = apply(
    dir,
    "echo x >> count; node -e \"require('fs').renameSync('src','lib')\" 2>&1 | grep -o EXDEV | head -1",
    '{ network: "host" }',
  );
  expect(text).toBe("Exit code 0.\nEXDEV");
  expect([readFileSync(join(dir, "count"), "utf8"), existsSync(join(dir, "src/a"))]).toEqual(["x\n", true]);
});

test.runIf(isAllowed && isRoot)("[LY12] a file of another owner is written", () => {
  const dir = somebodysProject("mkdir src");
  writeFileSync(join(dir, "src/theirs"), "theirs\n");
  chmodSync(join(dir, "src/theirs"), 0o666);
  expect(apply(dir, "echo more >> src/theirs")).toMatchObject({
    text: "Exit code 0.\n(no output)",
    conflicts: [],
    kinds: ["changed src/theirs"],
  });
  expect(readFileSync(join(dir, "src/theirs"), "utf8")).toBe("theirs\nmore\n");
});

test.runIf(isAllowed && isRoot)("[LY12] a file that can't be copied doesn't count as deleted", () => {
  const dir = somebodysProject("mkdir src; echo a > src/a");
  writeFileSync(join(dir, "closed"), "theirs\n");
  chmodSync(join(dir, "closed"), 0o600);
  const { text, kinds } = apply(dir, "node -e \"require('fs').renameSync('src','lib')\"");
  expect(text).toContain("could not be copied for a second try. Nothing of what it did was kept.");
  expect([kinds, readFileSync(join(dir, "closed"), "utf8"), existsSync(join(dir, "src/a"))]).toEqual([[], "theirs\n", true]);
});

test.runIf(isAllowed)("[H34] [LY12] a command on a copy leaves no attributes that would hide files from later commands", () => {
  const dir = somebodysProject("mkdir src; echo a > src/a");
  // Perl passes variables only.
  const set = (path: string, name: string, value: string) =>
    `($p, $n, $v) = ("${path}", "${name}", "${value}"); syscall(${numberOf("setxattr")}, $p, $n, $v, 1, 0);`;
  const attributes = `${set("w", "user.overlay.opaque", "x")} ${set("w/empty", "user.overlay.whiteout", "y")}`;
  // The move needs a copy, on which such attributes would be real ones.
  apply(dir, `perl -e 'rename("src", "lib") or die $!' && mkdir w && : > w/empty && perl -e '${attributes}'`);
  expect(apply(dir, "ls lib w; cat w/empty").text).toBe("Exit code 0.\nlib:\na\n\nw:\nempty");
});
