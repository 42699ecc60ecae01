import { storeContract } from "@colloquy/store/contract";
import { projectFolder } from "./project-folder.ts";

storeContract("the file store", async () => {
  const folder = projectFolder();
  return {
    store: await folder.open(),
    async reopen() {
      await folder.store.close();
      return folder.open();
    },
    async crash() {
      folder.kill();
      return folder.open();
    },
  };
});
