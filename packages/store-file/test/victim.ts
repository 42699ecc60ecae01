// Commits forever, to several trees at once, and prints what is durable. Started by kill.test.ts, which kills it.
import { writeSync } from "node:fs";
import { saying, treeId } from "../../store/src/samples.ts";
import { openFileStore } from "../src/index.ts";

const store = await openFileStore(process.argv[2] ?? "", { slotBytes: 1 << 15 });

async function talk(tree: number) {
  let seq = (await store.read(treeId(tree), 0)).length;
  for (;;) {
    await store.commit([saying(treeId(tree), seq, [`${tree} says ${seq + 1}`])], 0);
    seq += 1;
    writeSync(1, `${tree} ${seq}\n`);
  }
}

await Promise.all([1, 2, 3, 4, 5].map(talk));
