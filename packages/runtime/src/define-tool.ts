import type { ActClass } from "@colloquy/schema";
import { z } from "zod";
import type { ParsedInput, Tool, ToolContext, ToolOutput } from "./tool.ts";

const TIMEOUT_MS = 120_000;

export interface ToolDefinition<Input extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** It only looks: its calls run side by side and may be repeated. */
  readonly reads?: boolean;
  /** May be run again after a crash that hid its outcome. */
  readonly repeatable?: boolean;
  /** Is expected to give the same result again and again. */
  readonly polls?: boolean;
  readonly timeoutMs?: number;
  /** What its calls are: the autonomy that is set for that class holds for them. */
  readonly class?: ActClass;
  /** A person decides before it runs; the call waits, for weeks if it must. A text says why. */
  readonly approval?: boolean | ((input: z.output<Input>) => boolean | string);
  readonly run: (input: z.output<Input>, context: ToolContext) => Promise<ToolOutput> | ToolOutput;
}

/** A tool in code. What `run` throws is told to the model. */
export function defineTool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const {
    name,
    description,
    input,
    reads = false,
    repeatable = reads,
    polls = false,
    timeoutMs = TIMEOUT_MS,
    approval = false,
    class: own,
    run,
  } = definition;
  return {
    offer: { name, description, input: z.toJSONSchema(input, { io: "input" }) },
    kind: reads ? "reads" : "effects",
    repeatable,
    polls,
    timeoutMs,
    ...(own !== undefined && { class: own }),
    approval: (value) => (typeof approval === "function" ? approval(value as z.output<Input>) : approval),
    parse: (value) => parse(input, value),
    run: (value, context) => run(value as z.output<Input>, context),
  };
}

async function parse(schema: z.ZodType, value: unknown): Promise<ParsedInput> {
  const parsed = await schema.safeParseAsync(value);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, problems: z.prettifyError(parsed.error) };
}
