import { BareFile, inBlocks, median, newFolder, timed } from "./bare.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const WARM_UP = 2_000;
const ROUNDS = 600;
const ANSWER = WORDS.repeat(4);

/** One message in, its answer committed: two commits, against two bare writes of as many bytes. */
export async function durableTurn(): Promise<Figure[]> {
  const project = await benchProject("turn", () => ({ say: ANSWER }));
  const bare = new BareFile(newFolder("turn-bare"));
  const dialog = await project.dialogs.create({ content: WORDS });
  await dialog.result();
  const ours: number[] = [];
  const theirs: number[] = [];
  let sent = 0;
  const turn = async () => {
    await dialog.send({ content: WORDS, msgId: `m${sent++}` });
    await project.dialogs.quiet(dialog.id);
  };
  for (let round = 0; round < WARM_UP; round++) await turn();
  await inBlocks(
    ROUNDS,
    async () => void ours.push(await timed(turn)),
    () => void theirs.push(bare.write([500, 900])),
  );
  bare.close();
  await project.close();
  return [
    {
      name: "one durable turn, alone",
      value: median(ours) / median(theirs),
      unit: "× bare write and sync",
      limit: 1.5,
      note: `${median(ours).toFixed(2)} ms against ${median(theirs).toFixed(2)} ms`,
    },
  ];
}
