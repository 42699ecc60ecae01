import { defineTool as define, type OutputOf, type StandardSchema, type Tool, type ToolDefinition as Definition } from "@colloquy/runtime";

/** What a tool in code is given with its input. It cannot ask: a function that waits in its middle would begin again after a restart. */
export interface ToolContext {
  /** Unique for ever: the key with which an effect outside is made once. */
  readonly callId: string;
  /** Aborted when somebody stops the dialog, when time is up, and at shutdown. */
  readonly signal: AbortSignal;
  readonly dialog: { readonly rootId: string; readonly selfId: string };
  readonly agent: string;
  /** The project's folder. */
  readonly dir: string;
  /** A word to whoever watches, now. It is not kept, and no agent reads it. */
  readonly log: (text: string) => void;
  /** Keeps something beside the log, and gives the name under which it is found. The same name again replaces it. */
  readonly blob: (name: string, content: string | Uint8Array, mediaType?: string) => Promise<string>;
}

export interface ToolDefinition<Input extends StandardSchema, Output extends StandardSchema> extends Omit<
  Definition<Input, Output>,
  "run"
> {
  readonly run: (input: OutputOf<Input>, context: ToolContext) => ReturnType<Definition<Input, Output>["run"]>;
}

/** A tool in code. What `run` throws is told to the model. */
export function defineTool<Input extends StandardSchema, Output extends StandardSchema = StandardSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  return define<Input, Output>({
    ...definition,
    run: (input, { callId, signal, dialog, agent, dir, log, blob }) =>
      definition.run(input, { callId, signal, dialog, agent, dir, log, blob }),
  });
}
