import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { CallToolResult, Client, Progress, Tool as ToolDefinition, Transport } from "@modelcontextprotocol/client";
import { type CommandNetwork, type OpenCall, findOutSandbox, type SandboxStatus, type ToolContext } from "@colloquy/runtime";
import type { McpServerConfig } from "@colloquy/schema";
import { CallsInFlight } from "./calls-in-flight.ts";
import { questionOf, resultOf } from "./elicitation.ts";
import { type Environment, filledIn, valueOf } from "./filled-in.ts";
import { type Launch, launchOf } from "./launch.ts";
import { demandUnchanged } from "./program-record.ts";
import { realRoot } from "./project-path.ts";
import { blockTexts, keepBeside } from "./result-text.ts";
import { inRounds } from "./rounds.ts";
import { SignInFile } from "./sign-in-file.ts";
import { keptSignIn } from "./sign-in.ts";
import { type Program, StdioTransport } from "./stdio-transport.ts";

/** A server of the older protocol may ignore the probe for the newer one. */
const PROBE_TIMEOUT_MS = 2_000;
/** Calls end by their own signal, never by the client. */
const NEVER_MS = 2_147_483_647;

export type Input = Readonly<Record<string, unknown>>;

export interface ServerSpec {
  readonly name: string;
  readonly config: McpServerConfig;
  /** The project's folder. */
  readonly dir: string;
  readonly env: Environment;
  /** The environment of this process alone. */
  readonly ownEnv: Environment;
  /** What servers in the sandbox may reach, besides what all commands may. */
  readonly sandbox: SandboxReach;
}

export interface SandboxReach {
  readonly network: CommandNetwork;
  /** Paths in the project that are read-only there, because we run them. */
  readonly programs: () => readonly string[];
  /** How processes are isolated here; default: as well as the machine can. */
  readonly status?: () => SandboxStatus;
}

export interface Listeners {
  readonly onTools: (tools: readonly ToolDefinition[]) => void;
  /** The server is gone; `why` is for people. */
  readonly onGone: (why: string) => void;
}

/** One session with a server, from the handshake to the end. */
export class Connection {
  readonly tools: readonly ToolDefinition[];
  readonly pid: number | undefined;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #inFlight: CallsInFlight;

  private constructor(client: Client, transport: Transport, tools: readonly ToolDefinition[], inFlight: CallsInFlight) {
    this.#client = client;
    this.#transport = transport;
    this.tools = tools;
    this.#inFlight = inFlight;
    this.pid = transport instanceof StdioTransport ? transport.pid : undefined;
  }

  /** Throws with the problem; then none of its processes is left running. */
  static async open(place: ServerSpec, listeners: Listeners, signal: AbortSignal): Promise<Connection> {
    try {
      return await Connection.#open(place, listeners, signal, "auto");
    } catch (error) {
      // Some older servers exit when asked for the newer protocol.
      if (!isProbeRefused(error)) throw error;
      return Connection.#open(place, listeners, signal, "legacy");
    }
  }

  static async #open(place: ServerSpec, listeners: Listeners, signal: AbortSignal, mode: "auto" | "legacy"): Promise<Connection> {
    // Its schemas are slow to load: only for projects with a server.
    const sdk = await import("@modelcontextprotocol/client");
    const transport = await transportTo(place, signal);
    const startMs = place.config.startTimeout;
    const within = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
    // An address elsewhere learns nothing of our folders.
    const isLocal = place.config.url === undefined;
    const client = new sdk.Client(
      { name: "colloquy", version: "0.1.0" },
      {
        capabilities: { elicitation: { form: {}, url: {} }, ...(isLocal && { roots: {} }) },
        versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_TIMEOUT_MS, startMs / 3) } },
        listChanged: { tools: { onChanged: (error, tools) => !error && tools && listeners.onTools(tools) } },
      },
    );
    const inFlight = new CallsInFlight();
    client.setRequestHandler("elicitation/create", async ({ params }) => resultOf(await inFlight.ask(questionOf(params))));
    if (isLocal)
      client.setRequestHandler("roots/list", () => ({
        roots: [{ uri: pathToFileURL(realRoot(place.dir)).href, name: basename(place.dir) }],
      }));
    let complaint = "";
    client.onerror = (error) => (complaint = error.message);
    try {
      await client.connect(transport, { signal: within, timeout: startMs });
      const { tools } = client.getServerCapabilities()?.tools
        ? await client.listTools(undefined, { signal: within, timeout: startMs })
        : { tools: [] };
      client.onclose = () => listeners.onGone(goneWhy(transport, complaint));
      return new Connection(client, transport, tools, inFlight);
    } catch (error) {
      await transport.close().catch(() => undefined); // It didn't even start; that is the error to report.
      signal.throwIfAborted();
      const denied = deniedWhy(error, place);
      if (denied !== undefined) throw new Error(denied, { cause: error });
      throw isProbeRefused(error)
        ? error
        : new Error(startWhy(error, transport, complaint, within.aborted ? startMs : undefined), { cause: error });
    }
  }

  /** `inputSchema`: as the server listed it. */
  async call(tool: Pick<ToolDefinition, "name" | "inputSchema">, input: Input, context: OpenCall): Promise<CallToolResult> {
    // Without the output schema: a result that doesn't match is still a result.
    const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema };
    const onprogress = ({ progress, total, message }: Progress) =>
      context.log([`${progress}${total === undefined ? "" : ` of ${total}`}`, message ?? ""].filter(Boolean).join(": "));
    const options = { signal: context.signal, timeout: NEVER_MS, allowInputRequired: true, toolDefinition, onprogress };
    return this.#inFlight.run(context.ask, () =>
      inRounds({ name: tool.name, arguments: input, ...traced(context) }, context, (params) => this.#client.callTool(params, options)),
    );
  }

  /** What it offers to read besides its tools. */
  get offers(): { readonly resources: boolean; readonly prompts: boolean } {
    const { resources, prompts } = this.#client.getServerCapabilities() ?? {};
    return { resources: resources !== undefined, prompts: prompts !== undefined };
  }

  async listResources({ signal }: ToolContext): Promise<string> {
    const options = { signal, timeout: NEVER_MS };
    const { resources } = await this.#client.listResources(undefined, options);
    // A server without templates may not know the question.
    const { resourceTemplates } = await this.#client.listResourceTemplates(undefined, options).catch((error: unknown) => {
      if (isUnknownMethod(error)) return { resourceTemplates: [] };
      throw error;
    });
    const lines = [
      ...resources.map(({ uri, ...about }) => line(uri, about)),
      ...resourceTemplates.map(({ uriTemplate, ...about }) => line(uriTemplate, about)),
    ];
    return lines.join("\n") || "It has none.";
  }

  async readResource(uri: string, context: ToolContext): Promise<string> {
    const { contents } = await this.#client.readResource({ uri }, { signal: context.signal, timeout: NEVER_MS });
    const blocks = contents.map((resource) => ({ type: "resource" as const, resource }));
    return (await blockTexts(blocks, keepBeside(context))).join("\n\n");
  }

  async listPrompts({ signal }: ToolContext): Promise<string> {
    const { prompts } = await this.#client.listPrompts(undefined, { signal, timeout: NEVER_MS });
    const shown = prompts.map(({ name, arguments: given = [], ...about }) => {
      const names = given.map((one) => (one.required === true ? one.name : `${one.name}?`));
      return line(names.length === 0 ? name : `${name} (${names.join(", ")})`, about);
    });
    return shown.join("\n") || "It has none.";
  }

  async getPrompt(wish: { readonly name: string; readonly arguments: Record<string, string> }, context: ToolContext): Promise<string> {
    const { messages } = await this.#client.getPrompt(wish, { signal: context.signal, timeout: NEVER_MS });
    const texts = await blockTexts(
      messages.map(({ content }) => content),
      keepBeside(context),
    );
    return texts.map((text, nth) => `[${messages[nth]?.role ?? "user"}] ${text}`).join("\n\n");
  }

  /** Resolves when none of its processes is left running. */
  async close(): Promise<void> {
    this.#client.onclose = () => undefined;
    await this.#client.close();
    // The client drops its transport before that is closed, if the server has ended the session.
    await this.#transport.close();
  }
}

interface About {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** One entry of a list. */
const line = (what: string, { title, description, mimeType }: About): string =>
  [what, [title, description, mimeType].filter((one) => one !== undefined && one !== "").join("; ")].filter(Boolean).join(": ");

const METHOD_NOT_FOUND = -32_601;
const isUnknownMethod = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === METHOD_NOT_FOUND;

/** The server's spans hang below the call's. */
const traced = ({ traceparent }: OpenCall) => (traceparent === undefined ? {} : { _meta: { traceparent } });

async function transportTo(place: ServerSpec, signal: AbortSignal): Promise<Transport> {
  const { name, config, dir, env } = place;
  const where = `mcp.servers.${name}`;
  if (config.url === undefined) {
    const launch = launchOf(name, config, dir, env);
    await demandUnchanged({ name, config, dir, env, file: launch.file });
    return new StdioTransport(config.sandbox ? await isolated(place, launch, signal) : launch);
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const named = Object.entries(config.headers ?? {}).map(
    ([header, value]) => [header, filledIn(value, env, `${where}.headers.${header}`)] as const,
  );
  const headers = {
    ...Object.fromEntries(named),
    ...(config.tokenEnv !== undefined && { Authorization: `Bearer ${valueOf(env, config.tokenEnv, `${where}.tokenEnv`)}` }),
  };
  const url = filledIn(config.url, env, `${where}.url`);
  const file = new SignInFile(place.ownEnv, { dir, name, url });
  const authProvider = hasOwnToken(config) || !file.read()?.tokens ? undefined : keptSignIn(file);
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, ...(authProvider && { authProvider }) });
}

/** The same process in the sandbox of agents' commands. */
async function isolated(
  { name, dir, config, sandbox }: ServerSpec,
  { file, args, env, cwd }: Launch,
  signal: AbortSignal,
): Promise<Program> {
  const status = sandbox.status ? sandbox.status() : await findOutSandbox();
  if (!status.isIsolated) throw new Error(`It is to run in the sandbox, and there is none. ${status.reason}`);
  return status.sandbox.plan({
    command: [file, ...args],
    root: realRoot(dir),
    cwd,
    network: sandbox.network,
    programs: sandbox.programs(),
    env,
    callId: `mcp-${name}`,
    // It may run what agents wrote, and works for hours: nobody could judge what it does before it has an effect.
    isReadOnly: config.writes !== true,
    signal,
  });
}

const isProbeRefused = (error: unknown): boolean => (error as { readonly code?: unknown } | undefined)?.code === "ERA_NEGOTIATION_FAILED";

/** The setting with the token, if there is one. */
const hasOwnToken = ({ tokenEnv, headers = {} }: McpServerConfig): string | undefined =>
  tokenEnv ?? Object.keys(headers).find((header) => header.toLowerCase() === "authorization");

/** A wrong or missing token is what a person can fix, whatever else failed because of it. */
function deniedWhy(error: unknown, { name, config }: ServerSpec): string | undefined {
  if (endedIn(error)) return `Its sign-in has ended. Sign in again: colloquy mcp login ${name}`;
  const status = statusIn(error);
  if (status !== 401 && status !== 403) return undefined;
  const named = hasOwnToken(config);
  return named === undefined
    ? `It wants a token (${status}). Name the variable that holds it: mcp.servers.${name}.tokenEnv. Or sign in: colloquy mcp login ${name}`
    : `It refused the token (${status}). Check ${named}.`;
}

/** Only a person can go on. */
const endedIn = (error: unknown, depth = 0): boolean =>
  error instanceof Error && depth < 6 && (/^(?:SignInEnded|UnauthorizedError)$/.test(error.name) || endedIn(error.cause, depth + 1));

/** The HTTP status of an error, or of its cause. */
function statusIn(error: unknown, depth = 0): number | undefined {
  if (typeof error !== "object" || error === null || depth > 5) return undefined;
  const { code, status, data, cause } = error as { code?: unknown; status?: unknown; data?: { status?: unknown }; cause?: unknown };
  return (
    ([status, data?.status, code].find((one) => typeof one === "number" && one >= 400 && one < 600) as number | undefined) ??
    statusIn(cause, depth + 1)
  );
}

/** Why it didn't start, with its last output. */
function startWhy(error: unknown, transport: Transport, complaint: string, lateMs: number | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  const what =
    lateMs !== undefined
      ? `It did not answer within ${lateMs / 1000} s.`
      : (error as NodeJS.ErrnoException).code === "ENOENT"
        ? `There is no program of that name, or no such folder (${message}).`
        : message;
  return [what, complaint && complaint !== message ? `(${complaint})` : "", lastWords(transport)].filter(Boolean).join(" ");
}

function goneWhy(transport: Transport, complaint: string): string {
  const what = transport instanceof StdioTransport ? "Its process ended." : "The connection was closed.";
  return [what, complaint === "" ? "" : `(${complaint})`, lastWords(transport)].filter(Boolean).join(" ");
}

function lastWords(transport: Transport): string {
  const words = transport instanceof StdioTransport ? transport.stderr.trim().split("\n").slice(-3).join("\n") : "";
  return words === "" ? "" : `It said last: ${words}`;
}
