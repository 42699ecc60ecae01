import { type CallPart, type BuiltinInput, builtinInputs, type BuiltinTool, isBuiltinTool } from "@colloquy/schema";
import { z } from "zod";
import type { Rules } from "../prompt/rules.ts";

/** A built-in call with valid input. */
export type ParsedCall = {
  [Tool in BuiltinTool]: { readonly ok: true; readonly tool: Tool; readonly input: BuiltinInput<Tool> };
}[BuiltinTool];

export function parseCall(call: CallPart, rules: Rules): ParsedCall | { readonly ok: false; readonly problem: string } {
  const { tool } = call;
  if (!isBuiltinTool(tool)) return { ok: false, problem: rules.texts.unknownTool(tool, Object.keys(builtinInputs)) };
  const parsed = builtinInputs[tool].safeParse(call.input);
  if (!parsed.success) return { ok: false, problem: rules.texts.badInput(tool, z.prettifyError(parsed.error)) };
  return { ok: true, tool, input: parsed.data } as ParsedCall;
}
