import { Client } from "@colloquy/client";
import { readLastWords } from "@colloquy/library";
import type { McpProject } from "@colloquy/mcp-server";
import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import { LOG_VERSION } from "@colloquy/schema";
import { again } from "./again.ts";
import { quietOver } from "./quiet-over.ts";
import type { ServerAddress } from "./server-address.ts";

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
    pageOf: (question) => `${address.url}/p/${encodeURIComponent(id)}/q/${question}`,
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
    quiet: (dialog, signal) => quietOver(api, dialog, signal),
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
