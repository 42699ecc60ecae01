import { closeSync, fdatasync, fdatasyncSync, openSync, write, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { found, keyOf, message, pattern, question, task, WORDS } from "./script.ts";
import type { OpenPeer, Place } from "./peer.ts";

type Append = (line: string) => Promise<void>;

/** The minimum that a durable runtime must do: append a line for each decision and sync it, one after the other. Nothing is read or decided. */
export const openBare: OpenPeer = (place) => {
  const fd = openSync(join(place.dir, "bare"), "a");
  const append = (line: string): Promise<void> => {
    writeSync(fd, line);
    fdatasyncSync(fd);
    return Promise.resolve();
  };
  return Promise.resolve(bare(place, append, () => closeSync(fd)));
};

/** The same with group commit: everything that arrives during a sync shares the next one. */
export const openBareGroup: OpenPeer = (place) => {
  const fd = openSync(join(place.dir, "bare"), "a");
  const [writeTo, sync] = [promisify(write), promisify(fdatasync)];
  let queue: { readonly line: string; readonly done: () => void }[] = [];
  let isRunning = false;
  const flush = async () => {
    isRunning = true;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      await writeTo(fd, batch.map(({ line }) => line).join(""));
      await sync(fd);
      for (const { done } of batch) done();
    }
    isRunning = false;
  };
  const append = (line: string) =>
    new Promise<void>((done) => {
      queue.push({ line, done });
      if (!isRunning) void flush();
    });
  return Promise.resolve(bare(place, append, () => closeSync(fd)));
};

function bare({ resumed }: Place, append: Append, close: () => void) {
  const line = (...said: string[]) => append(`${JSON.stringify({ v: 1, at: new Date().toISOString(), said })}\n`);
  return {
    // Eight decisions, as a plain runtime makes them: four until the question is asked, four from the answer on.
    async ask(key: string) {
      await line(task(key));
      await line(task(key), "tellask", WORDS);
      await line(task(key), "assignment");
      await line(question(key), "askHuman");
      return key;
    },
    async answer(key: string) {
      await line(key, "answered");
      resumed(keyOf(`${key}:`));
      await line(key, WORDS);
      await line(key, "response", WORDS);
      await line(key, WORDS);
    },
    async turn(_dialog: string, nth: number) {
      await line(message(nth));
      await line("search_files", pattern(nth));
      await line(found(pattern(nth)));
      await line(WORDS);
    },
    close() {
      close();
      return Promise.resolve();
    },
  };
}
