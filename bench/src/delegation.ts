import type { ModelRequest } from "@colloquy/models";
import { type Reply, WORDS } from "./instant-model.ts";

export const agents = ["lead", "coder"].map((id) => ({ id, role: `You are the ${id}.`, default: id === "lead" }));

/** A lead passes its message on to a coder, who asks a person. After the answer both finish. */
export const delegating =
  (onModel: (request: ModelRequest) => void): Reply =>
  (request) => {
    onModel(request);
    const { agent, messages } = request;
    if (messages.length > 1) return { say: WORDS };
    if (agent === "lead")
      return { calls: [{ tool: "tellaskSessionless", input: { targetAgentId: "coder", tellaskContent: asked(request) } }] };
    return { calls: [{ tool: "askHuman", input: { tellaskContent: `Which one?\n${WORDS}` } }] };
  };

/** The text of an agent's first assignment. */
export function asked({ messages: [first] }: ModelRequest): string {
  return first && "text" in first ? first.text : "";
}
