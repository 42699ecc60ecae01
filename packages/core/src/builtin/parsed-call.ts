import { type CallPart, type HouseInput, houseInputs, type HouseTool, isHouseTool } from "@colloquy/schema";
import { z } from "zod";
import type { HouseRules } from "../prompt/house-rules.ts";

/** A call of the house whose input is as its tool wants it. */
export type ParsedCall = { [Tool in HouseTool]: { readonly ok: true; readonly tool: Tool; readonly input: HouseInput<Tool> } }[HouseTool];

export function parseCall(call: CallPart, rules: HouseRules): ParsedCall | { readonly ok: false; readonly problem: string } {
  const { tool } = call;
  if (!isHouseTool(tool)) return { ok: false, problem: rules.texts.unknownTool(tool, Object.keys(houseInputs)) };
  const parsed = houseInputs[tool].safeParse(call.input);
  if (!parsed.success) return { ok: false, problem: rules.texts.badInput(tool, z.prettifyError(parsed.error)) };
  return { ok: true, tool, input: parsed.data } as ParsedCall;
}
