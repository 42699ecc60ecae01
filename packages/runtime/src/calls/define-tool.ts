import type { ActClass } from "@colloquy/schema";
import { checkInput, checkTool } from "./check-tool.ts";
import { type InputOf, jsonSchemaOf, type OutputOf, parseWith, type StandardSchema } from "./standard-schema.ts";
import type { Tool, ToolContext, ToolOutput, UndoneCall } from "./tool.ts";

const TIMEOUT_MS = 120_000;

export interface ToolDefinition<Input extends StandardSchema, Output extends StandardSchema> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  /** Describes the input to the model, for schema libraries without JSON Schema. */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The schema of what `run` returns. Anything else becomes an error that the model reads. */
  readonly output?: Output | undefined;
  /** Only reads: its calls run side by side and may be repeated. */
  readonly reads?: boolean | undefined;
  /** May be run again after a crash that hid its outcome. */
  readonly repeatable?: boolean | undefined;
  /** Expected to return the same result again and again. */
  readonly polls?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  /** The class of its calls, which selects the autonomy setting for them. */
  readonly class?: ActClass | undefined;
  /** A person decides before it runs; the call waits, for weeks if necessary. A text gives the reason. */
  readonly approval?: boolean | ((input: Given<Input>) => boolean | string) | undefined;
  readonly run: (input: Given<Input>, context: ToolContext) => Promise<Returned<Output>> | Returned<Output>;
  /**
   * Takes the effect of a call back, when a person asks for it. What it returns is shown to them. It is run at most once at a time, and not
   * again if nobody knows how it ended; throw if nothing was undone.
   */
  readonly undo?: ((input: Given<Input>, call: UndoneCall) => Promise<ToolOutput> | ToolOutput) | undefined;
}

/** Makes the compiler complain about an unknown input rather than about the function that takes it. */
// oxlint-disable-next-line typescript/no-explicit-any
type Given<Input extends StandardSchema> = StandardSchema extends Input ? any : OutputOf<Input>;

/** Without a schema, anything that has a text or JSON form. */
type Returned<Output extends StandardSchema> = StandardSchema extends Output ? ToolOutput : InputOf<Output>;

/** A tool in code. The model reads whatever `run` throws. */
export function defineTool<Input extends StandardSchema, Output extends StandardSchema = StandardSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  checkTool(definition);
  const {
    name,
    description,
    input,
    inputJsonSchema = jsonSchemaOf(name, input),
    output,
    reads = false,
    repeatable = reads,
    polls = false,
    timeoutMs = TIMEOUT_MS,
    approval = false,
    class: own,
    run,
    undo,
  } = definition;
  checkInput(name, inputJsonSchema);
  return {
    offer: { name, description, input: inputJsonSchema },
    kind: reads ? "reads" : "effects",
    repeatable,
    polls,
    timeoutMs,
    ...(own !== undefined && { class: own }),
    approval: (value) => (typeof approval === "function" ? approval(value as OutputOf<Input>) : approval),
    parse: (value) => parseWith(input, value),
    run: async (value, { callId, signal, dialog, agent, dir, log, blob, traceparent }) => {
      const context = { callId, signal, dialog, agent, dir, log, blob, ...(traceparent !== undefined && { traceparent }) };
      const returned = await run(value as OutputOf<Input>, context);
      return output ? checked(name, output, returned) : (returned as ToolOutput);
    },
    ...(undo && { undo: async (value: unknown, call: UndoneCall) => undo(value as OutputOf<Input>, call) }),
  };
}

async function checked(name: string, schema: StandardSchema, returned: unknown): Promise<ToolOutput> {
  const parsed = await parseWith(schema, returned);
  if (!parsed.ok) throw new Error(`${name} has run, but gave back something else than it promises: ${parsed.problems}`);
  return parsed.value as ToolOutput;
}
