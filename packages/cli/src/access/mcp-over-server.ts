import { Client, Disconnected } from "@colloquy/client";
import { readLastWords } from "@colloquy/library";
import type { McpProject } from "@colloquy/mcp-server";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import { LOG_VERSION } from "@colloquy/schema";
import type { ServerAddress } from "./server-address.ts";

/** How long one request waits for quiet. */
const WITHIN_MS = 25_000;
/** A server that is being started again is back within about ten seconds. */
const AGAIN_MS = 250;
const MAX_TRIES = 40;

/** A project that a server holds, as MCP clients reach it through this process. */
export async function mcpOverServer(address: ServerAddress): Promise<McpProject & { close(): void }> {
  const client = new Client(address);
  const { api } = client;
  const id = await api.projectId();
  const name = (await api.projects()).find((one) => one.id === id)?.name ?? id;
  const team = (await api.settings()).agents.map((agent) => ({ id: agent.id, name: agent.name }));
  const signed = (msgId: string | undefined) => ({ ...(msgId !== undefined && { msgId }) });
  return {
    name,
    team: () => team,
    ask: ({ msgId, ...asking }) => client.questions.ask({ ...asking, ...signed(msgId) }),
    question: (question) => again(() => api.questions.get(question)),
    questions: async () => (await again(() => api.questions.list({ status: "open", limit: 100 }))).questions,
    async create({ content, agentId, msgId, trace }) {
      const body = { content, ...(agentId !== undefined && { agentId }), ...signed(msgId) };
      return { dialogId: (await client.dialogs.create(body as never, { trace })).rootId };
    },
    send: (dialog, { content, msgId, trace }) => client.dialogs.send(dialog, { content, ...signed(msgId) } as never, { trace }),
    view: (dialog) => again(() => api.dialogs.view(dialog)),
    async lastReply(dialog) {
      const { rootId, seq } = await again(() => api.dialogs.view(dialog));
      return readLastWords({ events: (root, after) => linesAfter(client, root, after) }, rootId, seq);
    },
    async closed({ id: question, dialog, seq }, signal) {
      for await (const { events } of client.follow(dialog.rootId, seq, signal))
        if (events.some(({ event }) => event.type === "question.closed" && event.question === question)) return;
    },
    async quiet(dialog, signal) {
      const isOver = new Promise<true>((resolve) => signal.addEventListener("abort", () => resolve(true), { once: true }));
      while (!signal.aborted) {
        const looking = again(() => api.dialogs.quiet(dialog, { within: WITHIN_MS })).then(({ isQuiet }) => isQuiet);
        if (await Promise.race([looking, isOver])) return;
      }
    },
    onChange: (listener) =>
      client.watchProject(
        {},
        {
          event(event) {
            if (event.type === "dialog.updated") listener(event.dialog.rootId, false);
            if (event.type === "question.updated") listener(event.question.dialog.rootId, true);
          },
        },
      ),
    close: () => client.close(),
  };
}

async function linesAfter({ api }: Client, rootId: RootId, after: number): Promise<readonly Line<TreeEvent>[]> {
  const { events } = await api.dialogs.events(rootId, { after, limit: 1_000 });
  return events.map(({ seq, at, event }) => ({ v: LOG_VERSION, pos: 0, seq, at, events: [event] }));
}

async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Disconnected) || tries === MAX_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
