import { Worker } from "node:worker_threads";
import { type Disk, realDisk } from "../disk/disk.ts";
import { attempt, writeOne, type Writing } from "./scribe.ts";

/** Up to this many, writing them here is cheaper. */
const MAX_SMALL_JOBS = 8;
/** An idle thread ends after this time. */
const IDLE_MS = 10_000;

/** Sent to the thread: all bytes in one transferred buffer, and where they belong. */
interface Order {
  readonly bytes: ArrayBuffer;
  readonly files: readonly { readonly path: string; readonly at: number; readonly size: number; readonly isNew: boolean }[];
}

/** Returned: which of them failed, and why. */
type Report = readonly { readonly nth: number; readonly code: string | undefined; readonly message: string }[];

/**
 * A thread that writes files, so that creating hundreds of them costs the main thread nothing. It starts with the first batch and ends when
 * idle for a while. If it fails, its files are written here.
 */
export class ScribeThread {
  readonly #begin: () => Worker;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  constructor(begin = beginThread) {
    this.#begin = begin;
  }

  /** One batch at a time. */
  write(writings: readonly Writing[]): Promise<readonly unknown[]> {
    const written = this.#last.then(() => this.#write(writings));
    this.#last = written;
    return written;
  }

  async #write(writings: readonly Writing[]): Promise<readonly unknown[]> {
    clearTimeout(this.#idle);
    try {
      const report = await this.#ask(orderOf(writings));
      const failures: unknown[] = writings.map(() => undefined);
      for (const { nth, code, message } of report) failures[nth] = Object.assign(new Error(message), { code });
      return failures;
    } catch {
      this.#letGo(); // it could not start, or has died: some files may be written already, which does no harm
      return writeHere(writings);
    } finally {
      this.#idle = setTimeout(() => this.#letGo(), IDLE_MS).unref();
    }
  }

  #ask(order: Order): Promise<Report> {
    const worker = (this.#worker ??= this.#begin());
    return new Promise((resolve, reject) => {
      const over = () => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        worker.unref(); // it keeps no process alive: the journal holds what it would write
      };
      const onMessage = (report: Report) => (over(), resolve(report));
      const onError = (error: unknown) => (over(), reject(error as Error));
      const onExit = () => (over(), reject(new Error("the thread has ended")));
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      worker.ref();
      worker.postMessage(order, [order.bytes]);
    });
  }

  #letGo(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }
}

function orderOf(writings: readonly Writing[]): Order {
  const sizes = writings.map(({ pieces }) => pieces.reduce((sum, piece) => sum + piece.length, 0));
  const all = new Uint8Array(sizes.reduce((sum, size) => sum + size, 0));
  let end = 0;
  for (const { pieces } of writings) {
    for (const piece of pieces) {
      all.set(piece, end);
      end += piece.length;
    }
  }
  return { bytes: all.buffer, files: writings.map(({ path, at, isNew }, nth) => ({ path, at, isNew, size: sizes[nth] ?? 0 })) };
}

function beginThread(): Worker {
  // Its own source text, so that it is found however we are bundled.
  const worker = new Worker(`(${carryOut.toString()})()`, {
    eval: true,
    name: "colloquy-scribe",
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 },
  });
  worker.on("error", () => undefined); // the waiting caller is told
  return worker;
}

/** The thread. It can use nothing from outside. */
function carryOut(): void {
  const { parentPort } = process.getBuiltinModule("node:worker_threads");
  const fs = process.getBuiltinModule("node:fs");
  const { O_RDWR, O_CREAT } = fs.constants;
  const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  const open = (path: string, isNew: boolean): number => {
    if (isNew) fs.mkdirSync(folderOf(path), { recursive: true, mode: 0o700 });
    try {
      return fs.openSync(path, O_RDWR | O_CREAT, 0o600);
    } catch (error) {
      if (isNew || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      return open(path, true);
    }
  };
  parentPort?.on("message", ({ bytes, files }: Order) => {
    const failures: { nth: number; code: string | undefined; message: string }[] = [];
    let from = 0;
    files.forEach(({ path, at, size, isNew }, nth) => {
      const content = new Uint8Array(bytes, from, size);
      from += size;
      try {
        const fd = open(path, isNew);
        try {
          for (let done = 0; done < size;) {
            const written = fs.writeSync(fd, content, done, size - done, at + done);
            if (written === 0) throw Object.assign(new Error("nothing was written"), { code: "ENOSPC" });
            done += written;
          }
        } finally {
          fs.closeSync(fd);
        }
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        failures.push({ nth, code, message });
      }
    });
    parentPort.postMessage(failures satisfies Report);
  });
}

const writeHere = (writings: readonly Writing[]): readonly unknown[] =>
  writings.map((writing) => attempt(() => writeOne(realDisk, writing)));

/** All stores of this process share it. */
const thread = new ScribeThread();

/** The real disk, with a thread for large batches. */
export const threadedDisk: Disk = {
  ...realDisk,
  writeMany: async (writings) => (writings.length <= MAX_SMALL_JOBS ? writeHere(writings) : thread.write(writings)),
};
