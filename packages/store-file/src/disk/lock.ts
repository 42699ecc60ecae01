import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { Fault } from "@colloquy/schema";
import { codeOf, type Disk, readWhole, writeAll } from "./disk.ts";
import type { Layout } from "./layout.ts";

/** The process that has the project open is named in `.dialogs/lock`. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
  /** Distinguishes a process from a later one with the same number. */
  readonly start: string;
  /** Unique to this lock. */
  readonly token: string;
}

export interface Processes {
  readonly pid: number;
  readonly host: string;
  /** Its start time, in some form; undefined if there is no such process. */
  readonly startOf: (pid: number) => string | undefined;
  /** A token that no other process makes. */
  readonly newToken?: () => string;
}

export interface Lock {
  /** Was a dead process's lock taken over? */
  readonly tookOver: Holder | undefined;
  readonly release: () => void;
  /** Leaves it as a dead process would: the next one takes it over and knows that something is unfinished. */
  readonly abandon: () => void;
}

/**
 * Takes the project for this process, or throws `store_locked` naming the other. A lock is created by linking a complete file into place. A
 * dead process's lock is replaced only by the one contender that created `lock.heir-<token of the dead>`, so two never both win.
 */
export function lockProject(disk: Disk, layout: Layout, processes: Processes = realProcesses, nowMs = Date.now()): Lock {
  const self: Holder = {
    pid: processes.pid,
    host: processes.host,
    since: new Date(nowMs).toISOString(),
    start: processes.startOf(processes.pid) ?? "",
    token: (processes.newToken ?? randomUUID)(),
  };
  const mine = `${layout.lock}.${self.token}`;
  try {
    writeHolder(disk, mine, self);
    const tookOver = take(disk, layout, mine, { processes, nowMs });
    removeLeftovers(disk, layout, mine, processes);
    return { tookOver, release: () => release(disk, layout, self), abandon: () => abandon(disk, layout, self) };
  } finally {
    disk.remove(mine);
  }
}

/** Processes that died while they took the lock have left theirs behind. One that cannot be read may be just being written. */
function removeLeftovers(disk: Disk, layout: Layout, mine: string, processes: Processes): void {
  for (const name of disk.list(layout.dialogs)) {
    const path = `${layout.dialogs}/${name}`;
    if (!name.startsWith("lock.") || path === mine || disk.stat(path)?.isFolder !== false) continue;
    const holder = readHolder(disk, path);
    if (holder && holder.token !== UNREADABLE && !isAlive(holder, processes)) disk.remove(path);
  }
}

export function holderOf(disk: Disk, layout: Layout): Holder | undefined {
  return readHolder(disk, layout.lock);
}

export function isAlive(holder: Holder, processes: Processes = realProcesses): boolean {
  if (holder.pid === 0) return false;
  // Whether a process of another machine is alive cannot be checked: refuse rather than take over.
  return holder.host !== processes.host || processes.startOf(holder.pid) === holder.start;
}

interface Contender {
  readonly processes: Processes;
  readonly nowMs: number;
}

function take(disk: Disk, layout: Layout, mine: string, { processes, nowMs }: Contender): Holder | undefined {
  for (;;) {
    if (linked(disk, mine, layout.lock)) return undefined;
    const holder = readHolder(disk, layout.lock);
    if (!holder) continue; // released between the two calls
    // A contender that died midway left a claim; the next one inherits from the last claim.
    const claims: string[] = [];
    let claim = layout.lock;
    for (let heir: Holder | undefined = holder; heir; heir = readHolder(disk, claim)) {
      if (isAlive(heir, processes)) throw locked(heir, processes.host, nowMs);
      // A claim torn by a power cut stays until the lock is ours: another contender's could take its place meanwhile.
      claim = heir.token === UNREADABLE ? `${claim}.heir` : `${layout.lock}.heir-${heir.token}`;
      claims.push(claim);
    }
    if (!linked(disk, mine, claim)) continue;
    // The claim may have come after somebody else's complete takeover: then the lock is another's by now.
    if (readHolder(disk, layout.lock)?.token !== holder.token) {
      disk.remove(claim);
      continue;
    }
    disk.rename(mine, layout.lock);
    for (const path of claims) disk.remove(path);
    return holder;
  }
}

function release(disk: Disk, layout: Layout, self: Holder): void {
  if (readHolder(disk, layout.lock)?.token === self.token) disk.remove(layout.lock);
}

function abandon(disk: Disk, layout: Layout, self: Holder): void {
  if (readHolder(disk, layout.lock)?.token === self.token) writeHolder(disk, layout.lock, { ...self, pid: 0 });
}

const UNREADABLE = "unreadable";

function linked(disk: Disk, from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function writeHolder(disk: Disk, path: string, holder: Holder): void {
  const fd = disk.open(path, "write");
  try {
    const bytes = Buffer.from(`${JSON.stringify(holder)}\n`);
    writeAll(disk, fd, bytes, 0);
    disk.truncate(fd, bytes.length); // the old content may have been longer
  } finally {
    disk.close(fd);
  }
}

/** An unreadable lock (its machine lost power while writing it) belongs to nobody. */
function readHolder(disk: Disk, path: string): Holder | undefined {
  const bytes = readWhole(disk, path);
  if (!bytes) return undefined;
  try {
    return JSON.parse(bytes.toString()) as Holder;
  } catch {
    return { pid: 0, host: "", since: new Date(0).toISOString(), start: UNREADABLE, token: UNREADABLE };
  }
}

function locked(holder: Holder, host: string, nowMs: number): Fault {
  const since = sinceText(holder.since, nowMs);
  const message =
    holder.host === host
      ? `Process ${holder.pid} has had this project open since ${since}. Wait until it ends, or stop it with kill ${holder.pid}; then try again.`
      : `Process ${holder.pid} on ${holder.host} has had this project open since ${since}. Wait until it ends, or stop it there; then try again. If that machine is gone, remove .dialogs/lock.`;
  return new Fault("store_locked", "later", message);
}

/** The time of day, with the day unless it is today. */
function sinceText(since: string, nowMs: number): string {
  const [at, now] = [new Date(since), new Date(nowMs)];
  const two = (n: number) => String(n).padStart(2, "0");
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.toDateString() === now.toDateString() ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

export const realProcesses: Processes = { pid: process.pid, host: hostname(), startOf };

function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return linuxStartOf(pid);
  try {
    process.kill(pid, 0);
    return "alive";
  } catch (error) {
    return codeOf(error) === "EPERM" ? "alive" : undefined;
  }
}

/** The boot and the clock tick of the start. A zombie has ended. */
function linuxStartOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" "); // the name before it may hold anything
    const [state, startTicks] = [fields[0], fields[19]];
    return state === "Z" || state === "X" ? undefined : `${readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()}:${startTicks}`;
  } catch {
    return undefined; // no such process
  }
}
