import { Refused } from "@colloquy/schema";
import type { CallToolResult } from "@modelcontextprotocol/server";

/** A tool's result, for programs and for models that read only text. */
const structured = (value: object): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  structuredContent: { ...value },
});

/** A refusal is a tool's result: the model reads what is valid and can call again. */
export async function orRefused(work: () => Promise<object>): Promise<CallToolResult> {
  try {
    return structured(await work());
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { isError: true, content: [{ type: "text", text: `${error.code}: ${error.message}` }] };
  }
}
