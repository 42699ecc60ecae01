import { Refused } from "@colloquy/schema";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { answered } from "./outcome.ts";

/** A refusal is a tool's result: the model reads what is valid and can call again. */
export async function orRefused(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    return answered(await work());
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { isError: true, content: [{ type: "text", text: `${error.code}: ${error.message}` }] };
  }
}
