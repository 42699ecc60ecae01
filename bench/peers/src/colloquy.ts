import type * as library from "@colloquy/library";
import type { RootId } from "@colloquy/schema";
import { z } from "zod";
import { instantModel, type Reply } from "../../src/instant-model.ts";
import type { OpenPeer, Peer, Place } from "./peer.ts";
import { ANSWER, found, keyOf, message, pattern, question, task, WORDS } from "./script.ts";

// The published form, as for the others: compiled and bundled.
const built = new URL("../../../dist/index.js", import.meta.url);
const { defineTool, openProject } = (await import(built.href)) as typeof library;

const search = defineTool({
  name: "search_files",
  description: "Searches.",
  input: z.object({ pattern: z.string() }),
  reads: true,
  run: (input) => found(input.pattern),
});

/** A project in a folder, with the default store: every commit is synced before anybody relies on it. */
export const openColloquy: OpenPeer = (place) => opened(place, undefined);

/** A project in a database. */
export const openColloquyPostgres: OpenPeer = (place) => opened(place, `${place.postgres}?project=bench`);

async function opened({ dir, resumed }: Place, store: string | undefined): Promise<Peer> {
  const reply: Reply = ({ agent, messages, step }) => {
    const isFirst = step === 1;
    if (agent === "clerk") {
      const nth = Number(keyOf(textOf(messages.at(-1))));
      return isFirst ? { calls: [{ tool: "search_files", input: { pattern: pattern(nth) } }] } : { say: WORDS };
    }
    const key = /\b(\w+): The order/.exec(textOf(messages[0]))?.[1] ?? "";
    if (agent === "lead") {
      const input = { targetAgentId: "specialist", tellaskContent: task(key) };
      return isFirst ? { calls: [{ tool: "tellaskSessionless", input }] } : { say: WORDS };
    }
    if (isFirst) return { calls: [{ tool: "askHuman", input: { tellaskContent: question(key) } }] };
    resumed(key);
    return { say: WORDS };
  };
  const model = instantModel(reply);
  const project = await openProject({
    dir,
    agents: [
      { id: "lead", role: "You lead.", default: true },
      { id: "specialist", role: "You know one thing well." },
      { id: "clerk", role: "You look things up.", tools: [search] },
    ],
    model: model.name,
    findModel: () => model,
    env: { ...process.env, COLLOQUY_STORE: store },
  });
  return {
    async ask(key) {
      const { id } = await project.dialogs.create({ content: task(key) });
      await project.dialogs.quiet(id);
      const [asked] = project.dialogs.entry(id)?.questions ?? [];
      if (!asked) throw new Error(`${key}: no question`);
      return JSON.stringify([id, asked.id]);
    },
    async answer(ticket) {
      const [root, asked] = JSON.parse(ticket) as [RootId, never];
      await project.questions.answer(asked, { content: ANSWER });
      await project.dialogs.quiet(root);
      if ((project.dialogs.entry(root)?.questions?.length ?? 0) > 0) throw new Error(`${root}: not answered`);
    },
    async turn(dialog, nth) {
      if (nth === 1) {
        const { id } = await project.dialogs.create({ content: message(nth), agent: "clerk", msgId: dialog });
        roots.set(dialog, id);
        await project.dialogs.quiet(id);
        return;
      }
      const root = roots.get(dialog);
      if (!root) throw new Error(`${dialog} has not begun`);
      await project.dialogs.send(root, { content: message(nth) });
      await project.dialogs.quiet(root);
    },
    close: () => project.close(),
  };
}

const roots = new Map<string, RootId>();

const textOf = (one: unknown): string => (one !== null && typeof one === "object" && "text" in one ? String(one.text) : "");
