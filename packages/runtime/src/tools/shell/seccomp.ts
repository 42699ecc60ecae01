// The system calls that a command may not make. Namespaces and mounts close what has a name; this closes parts of the kernel that have
// none (keyrings, rare sockets) or that few programs need and many break-outs used. The filter is a BPF program: instructions read from
// top to bottom, over the number and the arguments of a call.

/** Numbers on x86_64 and on aarch64; `-` if there is no such call. */
const NUMBERS = table(`
  add_key            248 217
  request_key        249 218
  keyctl             250 219
  ptrace             101 117
  process_vm_readv   310 270
  process_vm_writev  311 271
  process_madvise    440 440
  pidfd_getfd        438 438
  kcmp               312 272
  perf_event_open    298 241
  bpf                321 280
  userfaultfd        323 282
  fanotify_init      300 262
  mount              165 40
  umount2            166 39
  pivot_root         155 41
  chroot             161 51
  open_tree          428 428
  move_mount         429 429
  fsopen             430 430
  fsconfig           431 431
  fsmount            432 432
  fspick             433 433
  mount_setattr      442 442
  open_tree_attr     467 467
  setns              308 268
  open_by_handle_at  304 265
  kexec_load         246 104
  kexec_file_load    320 294
  init_module        175 105
  finit_module       313 273
  delete_module      176 106
  swapon             167 224
  swapoff            168 225
  reboot             169 142
  syslog             103 116
  acct               163 89
  quotactl           179 60
  quotactl_fd        443 443
  settimeofday       164 170
  clock_settime      227 112
  iopl               172 -
  ioperm             173 -
  vhangup            153 58
  io_uring_setup     425 425
  io_uring_enter     426 426
  io_uring_register  427 427
  clone3             435 435
  clone              56  220
  unshare            272 97
  socket             41  198
  socketpair         53  199
  personality        135 92
  ioctl              16  29
  setxattr           188 5
  lsetxattr          189 6
  fsetxattr          190 7
  setxattrat         463 463
`);

/** Programs try these and do without if the kernel doesn't know them. */
const UNHEARD_OF = new Set(["io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"]);
/**
 * Extended attributes and access lists, which many file systems lack as well. A layer carries none over, and those that a copy would keep
 * (`user.overlay.*`) make later layers hide files.
 */
const UNSUPPORTED = new Set(["setxattr", "lsetxattr", "fsetxattr", "setxattrat"]);

const EPERM = 1;
const ENOSYS = 38;
const EOPNOTSUPP = 95;
const EAFNOSUPPORT = 97;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; and NEWTIME, which for clone would be part of the signal. */
const NEW_NAMESPACES = 0x7e02_0000;
const NEW_TIME = 0x80;
const AF_NETLINK = 16;
/** Unix, IPv4, IPv6. */
const FAMILIES = [1, 2, 10];
/** Linux as usual, its 32-bit and 2.6 personalities, and the query for the current one. */
const PERSONALITIES = [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff];
/** TIOCSTI types into the terminal, TIOCLINUX pastes into the console. */
const TERMINAL_ORDERS = [0x5412, 0x541c];

type Instruction = readonly [code: number, jumpIf: number, jumpElse: number, value: number];

const load = (at: number): Instruction => [0x20, 0, 0, at];
const NUMBER = load(0);
const ARCHITECTURE = load(4);
/** The lower half: the kernel ignores the rest of such arguments. */
const argument = (nth: number): Instruction => load(16 + 8 * nth);
/** Skips this many instructions if it holds, and that many if not. */
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value];
const ifAnyBit = (bits: number, yes: number, no: number): Instruction => [0x45, yes, no, bits];
const ALLOW: Instruction = [0x06, 0, 0, 0x7fff_0000];
const refuse = (errno: number): Instruction => [0x06, 0, 0, 0x0005_0000 | errno];

const oneOf = (values: readonly number[], then: Instruction): readonly Instruction[] =>
  values.flatMap((value) => [ifEqual(value, 0, 1), then]);

/** Instructions for calls that are judged by their arguments. Each list ends with a verdict. */
const VERDICTS: Readonly<Record<string, readonly Instruction[]>> = {
  clone: [argument(0), ifAnyBit(NEW_NAMESPACES, 0, 1), refuse(EPERM), ALLOW],
  unshare: [argument(0), ifAnyBit(NEW_NAMESPACES | NEW_TIME, 0, 1), refuse(EPERM), ALLOW],
  // Netlink only for routes and addresses: libraries use it to detect IPv6.
  socket: [argument(0), ...oneOf(FAMILIES, ALLOW), ifEqual(AF_NETLINK, 0, 3), argument(2), ifEqual(0, 0, 1), ALLOW, refuse(EAFNOSUPPORT)],
  socketpair: [argument(0), ...oneOf([1], ALLOW), refuse(EAFNOSUPPORT)],
  personality: [argument(0), ...oneOf(PERSONALITIES, ALLOW), refuse(EPERM)],
  ioctl: [argument(1), ...oneOf(TERMINAL_ORDERS, refuse(EPERM)), ALLOW],
};

/** By Node's name: the kernel's architecture, and the column of its numbers. */
const ARCHITECTURES: Readonly<Record<string, { readonly audit: number; readonly column: 0 | 1 }>> = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
};
/** From here on the numbers are x32, which gives every call a second number. */
const X32 = 0x4000_0000;

/** The filter in the kernel's format; undefined on machines with unknown numbers. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[arch];
  if (!known) return undefined;
  const rules = Object.entries(NUMBERS).flatMap(([name, numbers]) => {
    const number = numbers[known.column];
    if (number === undefined) return [];
    const verdict = VERDICTS[name] ?? [refuse(errnoOf(name))];
    return [ifEqual(number, 0, verdict.length), ...verdict];
  });
  return encoded([
    ARCHITECTURE,
    // The processor's other set of calls: 32-bit programs don't run.
    ifEqual(known.audit, 1, 0),
    refuse(ENOSYS),
    NUMBER,
    ifAtLeast(X32, 0, 1),
    refuse(ENOSYS),
    ...rules,
    ALLOW,
  ]);
}

const errnoOf = (name: string): number => (UNHEARD_OF.has(name) ? ENOSYS : UNSUPPORTED.has(name) ? EOPNOTSUPP : EPERM);

/** The number of a call on a machine, if it is listed above. */
export const numberOf = (name: string, arch: string = process.arch): number | undefined =>
  NUMBERS[name]?.[ARCHITECTURES[arch]?.column ?? 0];

function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  for (const [at, [code, jumpIf, jumpElse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * at);
    bytes.writeUInt8(jumpIf, 8 * at + 2);
    bytes.writeUInt8(jumpElse, 8 * at + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * at + 4);
  }
  return bytes;
}

function table(text: string): Readonly<Record<string, readonly (number | undefined)[]>> {
  const rows = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return Object.fromEntries(
    rows.map(([name = "", ...numbers]) => [name, numbers.map((number) => (number === "-" ? undefined : Number(number)))]),
  );
}
