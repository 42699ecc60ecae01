import { basename } from "node:path";
import type { Project } from "@colloquy/library";
import type { NostrProject } from "@colloquy/nostr";
import { mainAddress } from "@colloquy/schema";

/** A project as Nostr reaches it, over the library. */
export function libraryNostr(project: Project): NostrProject {
  const { dialogs, agents, log } = project;
  return {
    name: basename(project.dir),
    language: agents.language,
    members: () => agents.members(),
    defaultAgent: () => agents.defaultAgent(),
    has: (rootId) => dialogs.entry(rootId) !== undefined,
    create: async (rootId, agentId, { mentions, ...message }) =>
      void (await dialogs.create({ ...message, id: rootId, agent: agentId, mentions: [...mentions] })),
    send: async (rootId, message) => void (await dialogs.send(mainAddress(rootId), message)),
    setPhase: async (rootId, { phase, ...signed }) => void (await dialogs.setPhase(mainAddress(rootId), phase, signed)),
    question: (id) => project.questions.get(id),
    answer: async (id, given) => void (await project.questions.answer(id, given)),
    approve: async (id, given) => void (await project.questions.approve(id, given)),
    deny: async (id, given) => void (await project.questions.deny(id, given)),
    lines: (stream, after, limit) => project.lines(stream, after, limit),
    head: () => log.head(),
    cursor: (name) => log.cursor(name),
    changedSince: (pos) => log.changedSince(pos),
    registerSigned: (signed) => log.registerSigned(signed),
    onCommit: (listener) => project.onCommit(listener),
    onLive: (listener) => project.onLive(listener),
  };
}
