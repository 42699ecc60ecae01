import { OutcomeUnknown, type Tool, type ToolContext, type OpenCall } from "@colloquy/runtime";
import type { CallToolResult, Tool as ToolDefinition } from "@modelcontextprotocol/client";
import { Connection, type Input, type ServerSpec } from "./connection.ts";
import { contextTools } from "./context-tools.ts";
import { ProgramChanged } from "./program-record.ts";
import { mcpTool } from "./mcp-tool.ts";
import { keepBeside, resultText } from "./result-text.ts";

/** A server that never started is retried with growing pauses; one that died is restarted at once, unless it keeps dying. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
const STEADY_MS = 60_000;

export type ServerState = "not started" | "starting" | "up" | "down";

/**
 * A configured server, shared by all dialogs. not started → starting → up; down after a failure, and starting again when somebody needs
 * it and the pause is over. Nothing is tried while nobody needs it.
 */
export class McpServer {
  readonly #place: ServerSpec;
  readonly #now: () => number;
  readonly #closing = new AbortController();
  #connection: Connection | undefined;
  #starting: Promise<Connection> | undefined;
  #tools: ReadonlyMap<string, Tool> = new Map();
  /** Why it isn't available, for people and agents. */
  #why: string | undefined;
  /** Its files that changed since it last ran: a person must allow them first. */
  #changed: readonly string[] = [];
  #offers = { resources: false, prompts: false };
  #failures = 0;
  #upAt = 0;
  #retryAt = 0;

  constructor(place: ServerSpec, now: () => number) {
    this.#place = place;
    this.#now = now;
  }

  get name(): string {
    return this.#place.name;
  }

  get timeoutMs(): number {
    return this.#place.config.timeout;
  }

  get state(): ServerState {
    if (this.#connection) return "up";
    if (this.#starting) return "starting";
    return this.#why === undefined ? "not started" : "down";
  }

  /** Absent while it is healthy. */
  get why(): string | undefined {
    return this.#connection ? undefined : this.#why;
  }

  /** Its files that wait for a person's permission. */
  get changed(): readonly string[] {
    return this.#connection ? [] : this.#changed;
  }

  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Its tools as last listed, by the names that agents know. A call restarts a server that died. */
  get tools(): ReadonlyMap<string, Tool> {
    return this.#tools;
  }

  /**
   * Loads its tools, if possible. Waits only for the first start, for a start after changed files, and if a call needs one of its tools
   * (`isNeeded`), which also skips the pause.
   */
  async prepare(isNeeded = false): Promise<void> {
    if (this.#connection || this.#tools.size > 0) return;
    // A person's permission for its program is noticed at once.
    const isFirst = this.#why === undefined || isNeeded || this.#changed.length > 0;
    if (isNeeded) this.#retryAt = 0;
    const started = this.#up().then(
      () => undefined,
      () => undefined, // `why` has the reason, and callers get it.
    );
    if (isFirst) await started;
  }

  async call(tool: ToolDefinition, input: Input, context: OpenCall, isRepeatable: boolean): Promise<string> {
    const connection = await this.#up();
    let result: CallToolResult;
    try {
      result = await connection.call(tool, input, context);
    } catch (error) {
      context.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      if (isLost(error)) this.#gone(connection, message);
      if (connection === this.#connection) throw new Error(`${this.name}: ${message}`, { cause: error });
      const gone = `The server ${this.name} went away during the call. ${this.#why ?? message}`;
      throw isRepeatable || wasRefused(error) ? new Error(`${gone} You may call again: it is started anew.`) : new OutcomeUnknown(gone);
    }
    const text = await resultText(result, keepBeside(context));
    if (result.isError) throw new Error(text || `${tool.name} failed and did not say why.`);
    return text;
  }

  /** Reads something that is no tool of it. */
  async use(work: (connection: Connection) => Promise<string>, { signal }: ToolContext): Promise<string> {
    const connection = await this.#up();
    try {
      return await work(connection);
    } catch (error) {
      signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      if (isLost(error)) this.#gone(connection, message);
      throw new Error(`${this.name}: ${message}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("closing"));
    await this.#starting?.catch(() => undefined); // The waiting callers got the error.
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  #up(): Promise<Connection> {
    if (this.#connection) return Promise.resolve(this.#connection);
    if (this.#starting) return this.#starting;
    const waitMs = this.#retryAt - this.#now();
    if (waitMs > 0)
      return Promise.reject(
        new Error(`The server ${this.name} is not available. ${this.#why ?? ""} Next attempt in ${Math.ceil(waitMs / 1000)} s.`),
      );
    const starting = this.#start().finally(() => (this.#starting = undefined));
    this.#starting = starting;
    return starting;
  }

  async #start(): Promise<Connection> {
    this.#closing.signal.throwIfAborted();
    try {
      const connection: Connection = await Connection.open(
        this.#place,
        { onTools: (tools) => this.#list(tools), onGone: (why) => this.#gone(connection, why) },
        this.#closing.signal,
      );
      this.#connection = connection;
      this.#why = undefined;
      this.#changed = [];
      this.#upAt = this.#now();
      this.#offers = connection.offers;
      this.#list(connection.tools);
      return connection;
    } catch (error) {
      this.#changed = error instanceof ProgramChanged ? error.files : [];
      this.#why = error instanceof Error ? error.message : String(error);
      this.#tools = new Map();
      // Nothing was tried: checking again costs nothing.
      if (this.#changed.length === 0) this.#failures += 1;
      this.#retryAt = this.#changed.length > 0 ? 0 : this.#now() + pauseMs(this.#failures);
      throw new Error(`The server ${this.name} is not available. ${this.#why}`, { cause: error });
    }
  }

  #gone(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#why = why;
    const isSteady = this.#now() - this.#upAt >= STEADY_MS;
    this.#failures = isSteady ? 0 : this.#failures + 1;
    // The first time may have been an accident.
    this.#retryAt = this.#failures <= 1 ? 0 : this.#now() + pauseMs(this.#failures - 1);
    void connection.close().catch(() => undefined); // It is already gone; this only cleans up.
  }

  #list(tools: readonly ToolDefinition[]): void {
    // A tool of its own goes before one of ours with the same name.
    const all = [...contextTools(this, this.#offers), ...tools.map((tool) => mcpTool(this, tool))];
    this.#tools = new Map(all.map((tool) => [tool.offer.name, tool]));
  }
}

/** The server didn't respond: the connection is useless. A server's own errors have a numeric code. */
const isLost = (error: unknown): boolean =>
  error instanceof TypeError || LOST.test(String((error as { code?: unknown } | undefined)?.code));
const LOST = /^(?:CONNECTION_CLOSED|NOT_CONNECTED|SEND_FAILED|CLIENT_HTTP_|E[A-Z]+$)/;

/** It rejected the call, as a restarted server does that doesn't know our session. */
const wasRefused = (error: unknown): boolean => ((error as { data?: { status?: number } } | undefined)?.data?.status ?? 0) >= 400;

const pauseMs = (failures: number): number => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
