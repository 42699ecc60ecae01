import { DBOS } from "@dbos-inc/dbos-sdk";
import type { OpenPeer } from "./peer.ts";
import { ANSWER, found, message, pattern, question, task, WORDS } from "./script.ts";

const FOR_EVER = 20 * 24 * 3600;

/**
 * Workflows whose steps are model calls. Users build dialog, question and inbox themselves, so only the necessary part is built here.
 * The long dialog is a workflow for each message; its history is kept in memory, at no cost.
 */
export const openDbos: OpenPeer = async ({ postgres, resumed }) => {
  const waiting = new Map<string, () => void>();
  const specialist = DBOS.registerWorkflow(
    async (key: string): Promise<string> => {
      await DBOS.runStep(() => Promise.resolve({ tool: "ask_human", question: question(key) }), { name: "model" });
      waiting.get(key)?.();
      const answer = await DBOS.recv<string>("answer", { timeoutSeconds: FOR_EVER });
      if (answer !== ANSWER) throw new Error(`${key}: ${answer}`);
      const said = await DBOS.runStep(
        () => {
          resumed(key);
          return Promise.resolve(WORDS);
        },
        { name: "model" },
      );
      await DBOS.send(`lead-${key}`, said, "response");
      return said;
    },
    { name: "specialist" },
  );
  const lead = DBOS.registerWorkflow(
    async (key: string): Promise<string> => {
      await DBOS.runStep(() => Promise.resolve({ tool: "specialist", task: task(key) }), { name: "model" });
      await DBOS.startWorkflow(specialist, { workflowID: `specialist-${key}` })(key);
      // By messages and events, which wake a waiting workflow. Results of workflows of an earlier process are polled.
      const response = await DBOS.recv<string>("response", { timeoutSeconds: FOR_EVER });
      const said = await DBOS.runStep(() => Promise.resolve(response ? WORDS : ""), { name: "model" });
      await DBOS.setEvent("said", said);
      return said;
    },
    { name: "lead" },
  );
  const clerk = DBOS.registerWorkflow(
    async (nth: number, _message: string): Promise<string> => {
      const call = await DBOS.runStep(() => Promise.resolve({ tool: "search_files", pattern: pattern(nth) }), { name: "model" });
      await DBOS.runStep(() => Promise.resolve(found(call.pattern)), { name: "tool" });
      return DBOS.runStep(() => Promise.resolve(WORDS), { name: "model" });
    },
    { name: "clerk" },
  );
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: postgres,
    logLevel: "error",
    systemDatabasePoolSize: 20,
    applicationVersion: "bench",
  });
  await DBOS.launch();
  return {
    async ask(key) {
      const asked = new Promise<void>((resolve) => waiting.set(key, resolve));
      await DBOS.startWorkflow(lead, { workflowID: `lead-${key}` })(key);
      await asked;
      waiting.delete(key);
      return key;
    },
    async answer(key) {
      await DBOS.send(`specialist-${key}`, ANSWER, "answer");
      const said = await DBOS.getEvent<string>(`lead-${key}`, "said");
      if (said !== WORDS) throw new Error(`${key}: ${said}`);
    },
    async turn(dialog, nth) {
      const handle = await DBOS.startWorkflow(clerk, { workflowID: `${dialog}-${nth}` })(nth, message(nth));
      if ((await handle.getResult()) !== WORDS) throw new Error(`${dialog} ${nth}`);
    },
    close: () => DBOS.shutdown(),
  };
};
