import type { ParsedInput, Tool } from "@colloquy/runtime";
import type { Tool as ToolDefinition } from "@modelcontextprotocol/client";
import type { Input } from "./connection.ts";
import { inputCheck } from "./input-check.ts";
import { formsOf, type JsonSchema, offeredSchema } from "./offered-schema.ts";
import type { McpServer } from "./server.ts";

/** A server's tool name, as agents know it. */
const toolName = (server: string, tool: string): string => `${server}__${tool}`;

/** A server's tool as any other. Its annotations decide how it runs: side by side, again after a crash, or neither. */
export function mcpTool(server: McpServer, definition: ToolDefinition): Tool {
  const { name, title, description, inputSchema, annotations } = definition;
  const reads = annotations?.readOnlyHint === true;
  const repeatable = reads || annotations?.idempotentHint === true;
  const about = [description ?? title ?? annotations?.title ?? name, formsOf(inputSchema)].filter(Boolean).join("\n\n");
  return {
    offer: { name: toolName(server.name, name), description: about, input: offeredSchema(inputSchema) },
    kind: reads ? "reads" : "effects",
    repeatable,
    polls: false,
    timeoutMs: server.timeoutMs,
    // A tool that its server calls destructive asks a person first, like any destructive call.
    ...(!reads && annotations?.destructiveHint === true && { class: "destructive" as const }),
    approval: () => false,
    // It may do anything: a person decides once for all similar calls, or in the settings.
    ...(!reads && { unsure: `The server "${server.name}" does not say that this only reads.` }),
    parse: parser(inputSchema),
    run: (input, context) => server.call(definition, input as Input, context, repeatable),
  };
}

function parser(schema: JsonSchema): (input: unknown) => ParsedInput {
  const check = inputCheck(schema);
  return (input) => {
    const given = input ?? {};
    if (typeof given !== "object" || Array.isArray(given)) return { ok: false, problems: "It must be a JSON object." };
    const problems = check(given);
    return problems === undefined ? { ok: true, value: given } : { ok: false, problems };
  };
}
