import { basename } from "node:path";
import type { McpProject } from "@colloquy/mcp-server";
import type { Project } from "@colloquy/library";
import type { RootId } from "@colloquy/schema";

/** A project for MCP clients of one caller; their actions carry the caller's name. */
export function libraryProject(project: Project, by: string, pageOf: (questionId: string) => string): McpProject {
  const rootOf = async (id: string): Promise<RootId> => (await project.dialogs.address(id)).rootId;
  return {
    name: basename(project.dir),
    team: () => project.agents.members().map(({ id, name }) => ({ id, name })),
    async ask(asking) {
      const { questionId } = await project.questions.ask({ ...asking, by });
      return { questionId, url: pageOf(questionId) };
    },
    question: (id) => project.questions.get(id),
    questions: () => project.questions.list(),
    pageOf,
    async create({ content, agentId, msgId, trace }) {
      const { id } = await project.dialogs.create({ content, by, msgId, trace, ...(agentId !== undefined && { agent: agentId }) });
      return { dialogId: id };
    },
    send: async (id, { content, msgId, trace }) => project.dialogs.send(await project.dialogs.address(id), { content, by, msgId, trace }),
    view: async (id) => project.dialogs.view(await project.dialogs.address(id)),
    lastReply: async (id) => project.dialogs.lastReply(await rootOf(id)),
    async closed({ id, dialog, seq }, signal) {
      for await (const { events } of project.dialogs.follow(dialog.rootId, seq, signal))
        if (events.some((event) => event.type === "question.closed" && event.question === id)) return;
    },
    quiet: async (id, signal) => void (await project.dialogs.quiet(await rootOf(id), signal)),
    onChange: (listener) =>
      project.onCommit(({ lines }) => {
        for (const { stream, line } of lines)
          if (stream !== "project")
            listener(
              stream,
              line.events.some(({ type }) => type.startsWith("question.")),
            );
      }),
  };
}
