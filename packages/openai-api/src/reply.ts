import { type BridgeProject, exchange, questionText } from "@colloquy/bridge";
import type { Begun } from "./conversation.ts";

export type ReplyPart =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "usage"; readonly input: number; readonly output: number }
  /** The question at the end of the text, in the version that it shows. */
  | { readonly type: "question"; readonly question: string; readonly shown: string };

/** The answer to a request: what the dialog says until it is idle, and the question that it then waits for. */
export async function* reply(project: BridgeProject, { rootId, after, missed }: Begun, signal: AbortSignal): AsyncGenerator<ReplyPart> {
  const { agentId } = await project.view(rootId);
  let message: string | undefined;
  let isEmpty = true;
  const text = (words: string): ReplyPart => {
    isEmpty = false;
    return { type: "text", text: words };
  };
  const apart = (): readonly ReplyPart[] => (isEmpty ? [] : [{ type: "text", text: "\n\n" }]);
  for (const one of missed) yield* [...apart(), text(one)];
  for await (const said of exchange(project, { rootId, after }, signal)) {
    if (said.type === "thinking" || said.type === "usage") yield said;
    if (said.type !== "text") continue;
    if (said.message !== message) {
      yield* apart();
      if (said.agent !== agentId) yield text(`**${nameOf(project, said.agent)}**: `);
    }
    message = said.message;
    yield text(said.text);
  }
  if (signal.aborted) return;
  const [first, ...others] = await project.questions(rootId);
  if (first) {
    const card = { language: project.language, page: project.pageOf(first.id), others: others.length };
    yield* [...apart(), text(questionText(first, card)), { type: "question", question: first.id, shown: first.shown } as const];
    return;
  }
  const { stopped } = await project.view(rootId);
  if (stopped) yield* [...apart(), text(stopped.message)];
}

const nameOf = (project: BridgeProject, agent: string): string => project.team().find(({ id }) => id === agent)?.name ?? agent;
