import { expect, test } from "vitest";
import { rejected, saying, storeContract, texts, treeId } from "./contract.ts";
import { memoryBacking, memoryStore } from "./memory-store.ts";

storeContract("the memory store", async () => {
  const backing = memoryBacking();
  let store = memoryStore(backing);
  return {
    store,
    async reopen() {
      await store.close();
      return (store = memoryStore(backing));
    },
    crash: async () => (store = memoryStore(backing)),
  };
});

test("[L21] a replaced store writes no more", async () => {
  const backing = memoryBacking();
  const dead = memoryStore(backing);
  const late = dead.commit([saying(treeId(1), 0, ["too late"])], 0);
  const alive = memoryStore(backing);
  await rejected("log_unavailable", late);
  expect(await texts(alive, treeId(1))).toEqual([]);
});
