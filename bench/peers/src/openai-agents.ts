import {
  Agent,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  RunState,
  type Session,
  setTracingDisabled,
  tool,
  Usage,
} from "@openai/agents";
import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { OpenPeer } from "./peer.ts";
import { ANSWER, found, keyOf, message, pattern, question, task, WORDS } from "./script.ts";

setTracingDisabled(true);

/**
 * The SDK gives a run's state as text and leaves keeping it to its users. Kept here as carefully as a user would who must not lose it:
 * a file for each run, written aside, synced, renamed; a session's items appended and synced. Inside a run nothing is kept.
 */
export const openOpenAiAgents: OpenPeer = ({ dir, resumed }) => {
  const keep = async (key: string, text: string): Promise<void> => {
    const path = join(dir, key);
    const file = await open(`${path}.new`, "w");
    await file.writeFile(text);
    await file.sync();
    await file.close();
    await rename(`${path}.new`, path);
    const folder = await open(dir, "r");
    await folder.sync();
    await folder.close();
  };
  const askHuman = tool({
    name: "ask_human",
    description: "Asks a person.",
    parameters: z.object({ question: z.string() }),
    needsApproval: true,
    execute: (_input, context) => String((context?.context as { answer?: string } | undefined)?.answer ?? ANSWER),
  });
  const search = tool({
    name: "search_files",
    description: "Searches.",
    parameters: z.object({ pattern: z.string() }),
    execute: (input) => found(input.pattern),
  });
  const specialist = new Agent({
    name: "specialist",
    instructions: "You know one thing well.",
    tools: [askHuman],
    model: model(({ first, results }) => {
      const key = keyOf(first);
      if (results === 0) return { name: "ask_human", callId: `ask_${key}`, args: { question: question(key) } };
      resumed(key);
      return WORDS;
    }),
  });
  const lead = new Agent({
    name: "lead",
    instructions: "You lead.",
    tools: [specialist.asTool({ toolName: "specialist", toolDescription: "Asks the specialist." })],
    model: model(({ first, results }) => {
      const key = keyOf(first);
      return results === 0 ? { name: "specialist", callId: `tell_${key}`, args: { input: task(key) } } : WORDS;
    }),
  });
  const clerk = new Agent({
    name: "clerk",
    instructions: "You look things up.",
    tools: [search],
    model: model(({ last, lastText }) => {
      if (last === "function_call_result") return WORDS;
      const nth = Number(keyOf(lastText));
      return { name: "search_files", callId: `call_${nth}`, args: { pattern: pattern(nth) } };
    }),
  });
  const runner = new Runner({ tracingDisabled: true });
  const sessions = new Map<string, FileSession>();
  return Promise.resolve({
    async ask(key) {
      const result = await runner.run(lead, task(key));
      if (result.interruptions?.length !== 1) throw new Error(`${key}: no interruption`);
      await keep(key, result.state.toString());
      return key;
    },
    async answer(key) {
      const state = await RunState.fromString(lead, readFileSync(join(dir, key), "utf8"));
      for (const interruption of state.getInterruptions()) state.approve(interruption);
      const result = await runner.run(lead, state);
      if (result.finalOutput !== WORDS) throw new Error(`${key}: not finished`);
      await keep(key, result.state.toString());
    },
    async turn(dialog, nth) {
      const session = sessions.get(dialog) ?? new FileSession(join(dir, `${dialog}.jsonl`));
      sessions.set(dialog, session);
      const result = await runner.run(clerk, message(nth), { session });
      if (result.finalOutput !== WORDS || session.length !== 4 * nth)
        throw new Error(`${dialog}: ${session.length} items after turn ${nth}`);
    },
    close() {
      for (const session of sessions.values()) session.close();
      return Promise.resolve();
    },
  });
};

/** A dialog's items in a file: appended, synced, and remembered. */
class FileSession implements Session {
  readonly #path: string;
  readonly #fd: number;
  #items: AgentInputItem[] = [];

  constructor(path: string) {
    this.#path = path;
    this.#fd = openSync(path, "a");
  }

  get length(): number {
    return this.#items.length;
  }

  getSessionId = (): Promise<string> => Promise.resolve(this.#path);
  getItems = (limit?: number): Promise<AgentInputItem[]> =>
    Promise.resolve(limit === undefined ? [...this.#items] : this.#items.slice(-limit));

  addItems(items: AgentInputItem[]): Promise<void> {
    this.#items.push(...items);
    writeSync(this.#fd, `${items.map((item) => JSON.stringify(item)).join("\n")}\n`);
    fdatasyncSync(this.#fd);
    return Promise.resolve();
  }

  popItem = (): Promise<AgentInputItem | undefined> => Promise.resolve(this.#items.pop());

  clearSession(): Promise<void> {
    this.#items = [];
    return Promise.resolve();
  }

  close(): void {
    closeSync(this.#fd);
  }
}

type Reply = string | { readonly name: string; readonly callId: string; readonly args: object };
interface Heard {
  readonly first: string;
  readonly results: number;
  readonly last: string;
  readonly lastText: string;
}

function model(reply: (heard: Heard) => Reply): Model {
  return {
    getResponse(request: ModelRequest): Promise<ModelResponse> {
      const items = typeof request.input === "string" ? [{ role: "user" as const, content: request.input }] : request.input;
      const last = items.at(-1);
      const said = reply({
        first: textOf(items[0]),
        // Only the short dialogs ask for this: a look at the whole of a long one would be the harness's cost, not the SDK's.
        get results() {
          return items.filter((item) => "type" in item && item.type === "function_call_result").length;
        },
        last: last && "type" in last ? String(last.type) : "",
        lastText: textOf(last),
      });
      const output: ModelResponse["output"] =
        typeof said === "string"
          ? [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: said }] }]
          : [{ type: "function_call", name: said.name, callId: said.callId, status: "completed", arguments: JSON.stringify(said.args) }];
      return Promise.resolve({ usage: new Usage({ inputTokens: 10, outputTokens: 10, totalTokens: 20 }), output });
    },
    getStreamedResponse() {
      throw new Error("not streamed here");
    },
  };
}

function textOf(item: unknown): string {
  const content = item !== null && typeof item === "object" && "content" in item ? item.content : "";
  if (typeof content === "string") return content;
  const [part] = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return part?.text ?? "";
}
