import { basename } from "node:path";
import type { BridgeProject } from "@colloquy/bridge";
import type { Project } from "@colloquy/library";
import { mainAddress, type QuestionId, Refused, type RootId } from "@colloquy/schema";
import { toQuestion } from "../api/questions.ts";
import type { Creations } from "./creations.ts";

interface BridgeOptions {
  /** The caller, known from the credential. */
  readonly by: string;
  readonly pageOf: (questionId: string) => string;
  readonly creations: Creations;
}

/** A project for another protocol's clients, over the library. */
export function libraryBridge(project: Project, { by, pageOf, creations }: BridgeOptions): BridgeProject {
  const { dialogs, questions } = project;
  const signed = (msgId: string | undefined) => ({ by, ...(msgId !== undefined && { msgId }) });
  const rootOf = (id: string): RootId => {
    if (dialogs.entry(id)) return id as RootId;
    throw new Refused({ code: "not_found", message: `There is no dialog ${id}.` });
  };
  return {
    name: basename(project.dir),
    language: project.agents.language,
    team: () => project.agents.members().map(({ id, name }) => ({ id, name })),
    defaultAgent: project.agents.defaultAgent(),
    async create({ agentId, ...work }) {
      const { id, seq } = await dialogs.create({ ...work, agent: agentId, by });
      return { rootId: id, seq };
    },
    send: (rootId, work) => dialogs.send(mainAddress(rootId), { ...work, by }),
    createdAs: (prefix) => creations.by(by, prefix),
    view: async (id) => dialogs.view(mainAddress(rootOf(id))),
    events: (rootId, after) => dialogs.events(rootId, after),
    async questions(rootId) {
      const { items } = await questions.inTree(rootId, { status: "open" });
      return items.toReversed();
    },
    question: (id) => questions.get(id),
    answer: (id, { choice, content, shown, msgId }) =>
      toQuestion.answer(project, id as QuestionId, { content, shown, ...(choice && { choice: [...choice] }) }, signed(msgId)),
    approve: (id, { shown, msgId }) => toQuestion.approve(project, id as QuestionId, { shown }, signed(msgId)),
    deny: (id, { shown, why, msgId }) => toQuestion.deny(project, id as QuestionId, { shown, why }, signed(msgId)),
    dismiss: (id, { msgId }) => toQuestion.dismiss(project, id as QuestionId, {}, signed(msgId)),
    watch: (rootId, after, watcher) => dialogs.subscribe(rootId, watcher, { after }),
    quiet: async (rootId, signal) => void (await dialogs.quiet(rootId, signal)),
    stop: async (rootId) => void (await dialogs.stop(mainAddress(rootId), { tree: true, by })),
    resume: async (rootId) => void (await dialogs.resume(mainAddress(rootId), { by })),
    pageOf,
  };
}
