import { demandModel } from "@colloquy/models";
import type { Tool } from "@colloquy/runtime";
import { AgentId, Refused } from "@colloquy/schema";
import type { DefinedAgent } from "./define-agent.ts";

const FIELDS = ["id", "name", "role", "model", "tools", "handles", "default", "fbrEffort", "asks", "output", "busyModel", "pin"] as const;
const ID_FORM = "It begins with a letter and holds letters, digits, _ and -.";

/** Checks an agent at run time, for callers without a compiler. */
export function checkAgent(agent: DefinedAgent): void {
  const { id, role, tools = [], output } = agent;
  if (!AgentId.safeParse(id).success) throw wrong(`"${String(id)}" is no agent's id. ${ID_FORM}`);
  const unknown = Object.keys(agent).find((field) => !(FIELDS as readonly string[]).includes(field));
  if (unknown !== undefined) throw wrong(`The agent "${id}" has a field "${unknown}", which no agent has. Known: ${FIELDS.join(", ")}.`);
  if (typeof role !== "string" && typeof role?.file !== "string")
    throw wrong(`The agent "${id}" needs a role: its text, or { file } with its path.`);
  if (
    !Array.isArray(tools) ||
    tools.some((tool) => typeof tool !== "string" && typeof (tool as Partial<Tool> | undefined)?.run !== "function")
  )
    throw wrong(`The tools of the agent "${id}" are a list of what defineTool gives, and of names.`);
  for (const model of [agent.model ?? [], agent.busyModel ?? []].flat()) demandModel(model, `The model of the agent "${id}"`);
  if (Array.isArray(agent.model) && agent.model.length === 0) throw wrong(`The list of models of the agent "${id}" is empty.`);
  if (output !== undefined && !output?.["~standard"])
    throw wrong(
      `The output of the agent "${id}" is not a schema. Give one of Zod, Valibot, ArkType or another library that implements Standard Schema.`,
    );
}

const wrong = (message: string) => new Refused({ code: "bad_request", message });
