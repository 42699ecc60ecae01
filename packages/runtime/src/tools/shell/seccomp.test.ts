import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { numberOf, seccompFilter } from "./seccomp.ts";
import { use } from "../testing.ts";

const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** Makes each call in one process in the sandbox. Returns the results: 0, or the error number. */
async function outcomes(calls: readonly (readonly [number, ...(number | string)[]])[]): Promise<readonly number[]> {
  const lines = calls.map((call) => `$r = syscall(${call.join(", ")}); print $r == -1 ? $!+0 : 0, "\\n";`);
  const dir = mkdtempSync(join(tmpdir(), "colloquy-seccomp-"));
  const text = await use(dir, "run_command", { command: `perl -e '$x = "x"; ${lines.join(" ")}'` });
  return text.split("\n").slice(1).map(Number);
}
const call = (name: string): number => numberOf(name) ?? -1;

test("[H25] the filter exists for machines with known numbers", () => {
  for (const arch of ["x64", "arm64"]) expect((seccompFilter(arch)?.length ?? 1) % 8).toBe(0);
  expect(seccompFilter("riscv64")).toBeUndefined();
  expect([numberOf("ptrace", "x64"), numberOf("ptrace", "arm64"), numberOf("iopl", "arm64")]).toEqual([101, 117, undefined]);
});
test("[H25] the numbers match the kernel's own list, if it is installed", () => {
  const header = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h";
  if (!existsSync(header)) return;
  const list = new Map(
    Array.from(readFileSync(header, "utf8").matchAll(/#define __NR_(\w+) (\d+)/g), ([, name, number]) => [name, Number(number)]),
  );
  for (const name of ["keyctl", "ptrace", "bpf", "clone3", "setns", "open_by_handle_at", "io_uring_setup", "personality", "socket"])
    expect([name, numberOf(name, "x64")]).toEqual([name, list.get(name)]);
});

describe("[H25] in the sandbox", () => {
  const refused =
    "add_key request_key keyctl ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd kcmp perf_event_open bpf userfaultfd fanotify_init mount umount2 pivot_root chroot open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr open_tree_attr setns open_by_handle_at kexec_load kexec_file_load init_module finit_module delete_module swapon swapoff reboot syslog acct quotactl quotactl_fd settimeofday clock_settime vhangup".split(
      " ",
    );
  test("these calls are refused", async () => {
    // With arguments that are valid for none of them: without the filter the error would differ.
    const found = await outcomes(refused.map((name) => [call(name), -1, -1, -1, -1, -1]));
    expect(Object.fromEntries(refused.map((name, at) => [name, found[at]]))).toEqual(
      Object.fromEntries(refused.map((name) => [name, EPERM])),
    );
  });
  test("these fail as unknown to the kernel", async () => {
    const names = ["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"];
    expect(await outcomes(names.map((name) => [call(name), -1, 0]))).toEqual(names.map(() => ENOSYS));
  });

  test("[H34] extended attributes cannot be set, as on a file system without them; programs that copy them go on", async () => {
    const names = ["setxattr", "lsetxattr", "fsetxattr", "setxattrat"];
    expect(await outcomes(names.map((name) => [call(name), "$x", "$x", "$x", 1, 0]))).toEqual(names.map(() => EOPNOTSUPP));
    const dir = mkdtempSync(join(tmpdir(), "colloquy-seccomp-"));
    const copies =
      "echo x > a; cp -a a b; cp --preserve=mode,timestamps a c; mv a /tmp/d; mv /tmp/d e; tar c b | tar x -C /tmp; install c f; ls";
    expect(await use(dir, "run_command", { command: copies })).toBe("Exit code 0.\nb\nc\ne\nf");
  });

  test("sockets are of the usual families, and netlink is for routes", async () => {
    const socket = call("socket");
    const [unix, inet, inet6, netlink, ...others] = await outcomes([
      [socket, 1, 1, 0],
      [socket, 2, 1, 0],
      [socket, 10, 1, 0],
      [socket, 16, 3, 0],
      // netlink for audit, netfilter, generic; packet, alg, bluetooth, vsock, xdp, tipc, can, kcm
      [socket, 16, 3, 9],
      [socket, 16, 3, 12],
      [socket, 16, 3, 16],
      ...[17, 38, 31, 40, 44, 30, 29, 41].map((family) => [socket, family, 3, 0] as const),
      [call("socketpair"), 40, 1, 0, 0],
    ]);
    expect([unix, inet, netlink]).toEqual([0, 0, 0]);
    expect([0, EAFNOSUPPORT]).toContain(inet6); // a machine may have no IPv6
    expect(others).toEqual(others.map(() => EAFNOSUPPORT));
  });

  test("no new namespaces, by whichever flag", async () => {
    const flags = [0x1000_0000, 0x0002_0000, 0x4000_0000, 0x2000_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000];
    const found = await outcomes([
      ...flags.map((flag) => [call("unshare"), flag] as const),
      [call("unshare"), 0x80],
      ...flags.map((flag) => [call("clone"), flag + 17, 0, 0, 0, 0] as const),
      [call("unshare"), 0x400],
    ]);
    expect(found).toEqual([...flags.map(() => EPERM), EPERM, ...flags.map(() => EPERM), 0]);
  });

  test("no odd personality, and nothing is typed into a terminal", async () => {
    const ioctl = call("ioctl");
    expect(
      await outcomes([
        [call("personality"), 0x0004_0000],
        [call("personality"), 0x0040_0000],
        [call("personality"), 0],
        [ioctl, 0, 0x5412, "$x"],
        // The kernel uses the lower half only, and so must the filter.
        [ioctl, 0, 0x1_0000_5412, "$x"],
        [ioctl, 0, 0x541c, "$x"],
      ]),
    ).toEqual([EPERM, EPERM, 0, EPERM, EPERM, EPERM]);
  });

  test.runIf(process.arch === "x64")("x32 numbers are no way around", async () => {
    expect(await outcomes([[0x4000_0000 + 101, 0, 0, 0, 0], [0x4000_0000 + 39]])).toEqual([ENOSYS, ENOSYS]);
  });

  test("programs run normally: processes, threads, names, files", async () => {
    const dir = mkdtempSync(join(tmpdir(), "colloquy-seccomp-"));
    const script =
      'const { Worker } = require("node:worker_threads"); new Worker("", { eval: true }).on("exit", () => console.log(require("node:child_process").execFileSync("echo", ["well"]).toString().trim()))';
    expect(
      await use(dir, "run_command", {
        command: `node -e '${script}'; getent hosts localhost | grep -c localhost; git init -q /tmp/x && ls -d /tmp/x/.git; sort --parallel=4 </dev/null`,
      }),
    ).toBe("Exit code 0.\nwell\n1\n/tmp/x/.git");
  });
});
