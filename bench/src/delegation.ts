import type { ModelRequest } from "@colloquy/models";
import { type Reply, WORDS } from "./instant-model.ts";

export const agents = ["lead", "coder"].map((id) => ({ id, role: `You are the ${id}.`, default: id === "lead" }));

/** A lead asks a coder what it was asked itself; the coder asks a person. Answered, both finish. */
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

/** The words that an agent was first asked. */
export function asked({ messages: [first] }: ModelRequest): string {
  return first && "text" in first ? first.text : "";
}
