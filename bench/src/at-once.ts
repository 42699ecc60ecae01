import { open } from "node:fs/promises";
import { join } from "node:path";
import { newFolder, timed } from "./bare.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const DIALOGS = 100;
const TURNS = 40;

/** A hundred dialogs at once, against bare group commit, where all waiters share each sync. */
export async function atOnce(): Promise<Figure[]> {
  const project = await benchProject("at-once", () => ({ say: WORDS.repeat(4) }));
  const dialogs = await Promise.all(Array.from({ length: DIALOGS }, () => project.dialogs.create({ content: WORDS })));
  await Promise.all(dialogs.map((dialog) => project.dialogs.quiet(dialog.id)));
  const round = () =>
    Promise.all(
      dialogs.map(async (dialog) => {
        for (let turn = 0; turn < TURNS; turn++) {
          await dialog.send({ content: WORDS });
          await project.dialogs.quiet(dialog.id);
        }
      }),
    );
  // Warm-up.
  for (let warm = 0; warm < 5; warm++) await round();
  const ms = await timed(round);
  await project.close();
  const ours = (DIALOGS * TURNS) / ms;
  const bare = await bareGroupCommit();
  return [
    {
      name: "100 dialogs at once",
      value: ours / bare,
      unit: "× bare group commit",
      limit: 0.25,
      atLeast: true,
      note: `${Math.round(ours * 1000)} against ${Math.round(bare * 1000)} turns per second`,
    },
  ];
}

/** Turns per millisecond of bare group commit: the same lines, everything requested during a sync in one write and one sync. */
async function bareGroupCommit(): Promise<number> {
  const file = await open(join(newFolder("at-once-bare"), "bare"), "a");
  let queue: { readonly bytes: Buffer; readonly done: () => void }[] = [];
  let isRunning = false;
  const flush = async () => {
    isRunning = true;
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      await file.appendFile(Buffer.concat(batch.map((one) => one.bytes)));
      await file.datasync();
      for (const { done } of batch) done();
    }
    isRunning = false;
  };
  let seq = 0;
  const append = (content: string) =>
    new Promise<void>((done) => {
      const line = { v: 1, pos: ++seq, seq, at: new Date().toISOString(), events: [{ type: "message.added", by: "owner", content }] };
      queue.push({ bytes: Buffer.from(`${JSON.stringify(line)}\n`), done });
      if (!isRunning) void flush();
    });
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: DIALOGS }, async () => {
        for (let turn = 0; turn < TURNS; turn++) {
          await append(WORDS);
          await append(WORDS.repeat(4));
        }
      }),
    ),
  );
  await file.close();
  return (DIALOGS * TURNS) / ms;
}
