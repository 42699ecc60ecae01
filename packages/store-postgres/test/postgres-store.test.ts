import { storeContract } from "@colloquy/store/contract";
import { openPostgresStore, storeAddress } from "../src/index.ts";
import { newDatabase } from "./database.ts";

storeContract("the PostgreSQL store", async () => {
  const address = storeAddress((await newDatabase()).url, "shop");
  let store = await openPostgresStore(address);
  return {
    store,
    async reopen() {
      await store.close();
      return (store = await openPostgresStore(address));
    },
    async crash() {
      await store.abandon();
      return (store = await openPostgresStore(address));
    },
  };
});
