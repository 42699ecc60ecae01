import type { AcpProject } from "@colloquy/acp";
import { Client } from "@colloquy/client";
import { type RootId, timeOrderedId } from "@colloquy/schema";
import { again } from "./again.ts";
import { linesOf, pages } from "./pages.ts";
import { quietOver } from "./quiet-over.ts";
import type { ServerAddress } from "./server-address.ts";

const PAGE_ROWS = 1_000;
const SESSIONS_PER_PAGE = 50;

/** A project that a server holds, as an editor reaches it through this process. `dir`: its folder, if it is on this machine. */
export async function acpOverServer(address: ServerAddress, dir: string | undefined): Promise<AcpProject & { close(): void }> {
  const client = new Client(address);
  const { api, dialogs, questions } = client;
  const id = await api.projectId();
  const { agents, language } = await api.settings();
  const signed = ({ msgId }: { readonly msgId?: string | undefined }) => (msgId === undefined ? {} : { msgId });
  return {
    name: (await api.projects()).find((one) => one.id === id)?.name ?? id,
    dir,
    language,
    team: () => agents.map((agent) => ({ id: agent.id, name: agent.name })),
    defaultAgent: agents.find(({ isDefault }) => isDefault)?.id,
    newId: () => timeOrderedId(Date.now(), crypto.getRandomValues(new Uint8Array(10))) as RootId,
    create: ({ id: rootId, agentId, title, trace, ...work }) =>
      dialogs.create(
        { ...bodyOf(work), agentId, ...(rootId !== undefined && { rootId: rootId as RootId }), ...(title !== undefined && { title }) },
        { trace },
      ),
    send: (rootId, { now, trace, ...work }) => dialogs.send(rootId, { ...bodyOf(work), ...(now !== undefined && { now }) }, { trace }),
    view: (rootId) => again(() => api.dialogs.view(rootId)),
    async events(rootId, after = 0) {
      const read = (next: string | undefined) =>
        api.dialogs.events(rootId, { after: next === undefined ? after : Number(next), limit: PAGE_ROWS });
      return linesOf(
        await pages(
          (next) => again(() => read(next)),
          ({ events }) => events,
        ),
      );
    },
    async questions(rootId) {
      const read = (after: string | undefined) =>
        api.questions.list({ status: "open", dialog: rootId, ...(after !== undefined && { after }) });
      const found = await pages(
        (after) => again(() => read(after)),
        (page) => page.questions,
      );
      return found.toReversed();
    },
    question: (question) => again(() => api.questions.get(question)),
    answer: (question, { choice, content, shown, ...rest }) =>
      questions.answer(question, {
        shown,
        ...signed(rest),
        ...(choice && { choice: [...choice] }),
        ...(content !== undefined && { content }),
      }),
    approve: (question, { shown, ...rest }) => questions.approve(question, { shown, ...signed(rest) }),
    approveLike: (question, { shown, pattern }) => questions.approve(question, { shown, pattern, scope: "dialog" }),
    deny: (question, { shown, why, ...rest }) => questions.deny(question, { shown, ...signed(rest), ...(why !== undefined && { why }) }),
    dismiss: (question, given) => questions.dismiss(question, signed(given)),
    watch: (rootId, after, { commit, live, dropped }) =>
      client.watchTree(
        { rootId, after },
        {
          commit({ events }) {
            for (const line of linesOf(events)) commit(line);
          },
          live,
          ...(dropped && { dropped }),
        },
      ),
    quiet: (rootId, signal) => quietOver(api, rootId, signal),
    pageOf: (question) => `${address.url}/p/${encodeURIComponent(id)}/q/${question}`,
    async list(after) {
      const page = await again(() => api.dialogs.list({ limit: SESSIONS_PER_PAGE, ...(after !== undefined && { after }) }));
      return { rows: page.dialogs, next: page.next };
    },
    stop: async (rootId) => void (await dialogs.stop(rootId, { tree: true })),
    resume: async (rootId) => void (await dialogs.resume(rootId)),
    close: () => client.close(),
  };
}

interface Work {
  readonly content: string;
  readonly msgId?: string | undefined;
  readonly images?: readonly Uint8Array[] | undefined;
  readonly mentions?: readonly string[] | undefined;
}

const bodyOf = ({ content, msgId, images, mentions }: Work) => ({
  content,
  ...(msgId !== undefined && { msgId }),
  ...(images && { images: images.map((image) => Buffer.from(image).toString("base64")) }),
  ...(mentions && { mentions: [...mentions] }),
});
