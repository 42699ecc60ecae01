// Most people don't run Colloquy as root. This tests the sandbox as another user.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const tools = fileURLToPath(new URL(".", import.meta.url));
const NOBODY = "65534";
/** Runs a program as an unprivileged user; as this user, unless that is root. */
const asNobody = (args: readonly string[]) => {
  const isRoot = process.getuid?.() === 0;
  const [file = "", ...rest] = isRoot ? ["/usr/bin/setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...args] : args;
  return spawnSync(file, rest, { encoding: "utf8", cwd: "/", env: { PATH: `/root/bin:${process.env["PATH"]}` } });
};

test("[H30] commands of an unprivileged user are isolated too", ({ skip }) => {
  if (asNobody(["/usr/bin/unshare", "--user", "true"]).status !== 0) skip("The kernel gives other users no namespaces.");
  if (asNobody([process.execPath, "--version"]).status !== 0) skip("Other users may not run this Node.");
  const dir = mkdtempSync(join(tmpdir(), "colloquy-nobody-"));
  chmodSync(dir, 0o777);
  writeFileSync(
    join(dir, "script.ts"),
    `
    import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
    import { sandboxStatus } from ${JSON.stringify(join(tools, "sandbox.ts"))};
    import { use } from ${JSON.stringify(join(tools, "../testing.ts"))};
    mkdirSync("${dir}/shop/agents", { recursive: true });
    writeFileSync("${dir}/shop/.env", "KEY=1");
    const status = sandboxStatus();
    const text = await use("${dir}/shop", "run_command", { command: "id -u; cat .env; ls -d /root ${dir}/script.ts; cat /etc/shadow; touch agents/x; echo made > a.txt; unshare -Ur true; perl -e 'print syscall(250, 0, 0), qq(\\n)'" });
    console.log(JSON.stringify({ isIsolated: status.isIsolated, lacks: status.isIsolated && status.sandbox.lacks, text, made: readFileSync("${dir}/shop/a.txt", "utf8"), uid: process.getuid() }));
  `,
  );
  const { stdout, stderr } = asNobody([process.execPath, join(dir, "script.ts")]);
  expect(stderr).toBe("");
  const { isIsolated, lacks, text, made, uid } = JSON.parse(stdout) as Record<string, unknown>;
  expect({ isIsolated, lacks, made }).toEqual({ isIsolated: true, lacks: [], made: "made\n" });
  expect(uid).not.toBe(0);
  expect(text).toBe(
    [
      "Exit code 0.",
      String(uid),
      "cat: .env: Permission denied",
      "ls: cannot access '/root': No such file or directory",
      `ls: cannot access '${dir}/script.ts': No such file or directory`,
      "cat: /etc/shadow: Permission denied",
      "touch: cannot touch 'agents/x': Read-only file system",
      "unshare: unshare failed: Operation not permitted",
      "-1",
    ].join("\n"),
  );
});
