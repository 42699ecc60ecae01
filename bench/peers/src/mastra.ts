import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { join } from "node:path";
import { z } from "zod";
import type { OpenPeer } from "./peer.ts";
import { ANSWER, found, keyOf, message, pattern, question, task, WORDS } from "./script.ts";

/** A lead with a subagent whose tool suspends; snapshots, threads and messages in LibSQL, set up as its store does it. */
export const openMastra: OpenPeer = async ({ dir, resumed }) => {
  const askHuman = createTool({
    id: "ask_human",
    description: "Asks a person.",
    inputSchema: z.object({ question: z.string() }),
    suspendSchema: z.object({ question: z.string() }),
    resumeSchema: z.object({ answer: z.string() }),
    outputSchema: z.object({ answer: z.string() }),
    execute: async (input, context) => {
      const { resumeData, suspend } = context.agent ?? {};
      if (!resumeData) return (await suspend?.({ question: input.question })) as never;
      return { answer: (resumeData as { answer: string }).answer };
    },
  });
  const search = createTool({
    id: "search_files",
    description: "Searches.",
    inputSchema: z.object({ pattern: z.string() }),
    outputSchema: z.object({ found: z.string() }),
    execute: (input) => Promise.resolve({ found: found(input.pattern) }),
  });
  const storage = new LibSQLStore({ id: "bench", url: `file:${join(dir, "mastra.db")}` });
  const memory = () => new Memory({ storage, options: { lastMessages: Number.MAX_SAFE_INTEGER } });
  const specialist = new Agent({
    id: "specialist",
    name: "Specialist",
    description: "Knows one thing well.",
    instructions: "You know one thing well.",
    tools: { ask_human: askHuman },
    model: model(({ first, results }) => {
      const key = keyOf(first);
      if (results === 0) return { name: "ask_human", id: `ask_${key}`, input: { question: question(key) } };
      resumed(key);
      return WORDS;
    }) as never,
  });
  const lead = new Agent({
    id: "lead",
    name: "Lead",
    instructions: "You lead.",
    agents: { specialist },
    model: model(({ first, results }) => {
      const key = keyOf(first);
      return results === 0 ? { name: "agent-specialist", id: `tell_${key}`, input: { prompt: task(key) } } : WORDS;
    }) as never,
  });
  const clerk = new Agent({
    id: "clerk",
    name: "Clerk",
    instructions: "You look things up.",
    tools: { search_files: search },
    memory: memory(),
    model: model(({ lastRole, lastText }) => {
      if (lastRole === "tool") return WORDS;
      const nth = Number(keyOf(lastText));
      return { name: "search_files", id: `call_${nth}`, input: { pattern: pattern(nth) } };
    }) as never,
  });
  const mastra = new Mastra({ storage, agents: { lead, specialist, clerk }, logger: false });
  await storage.init();
  const [boss, scribe] = [mastra.getAgent("lead"), mastra.getAgent("clerk")];
  return {
    async ask(key) {
      const output = await boss.generate(task(key), { runId: key });
      if (output.finishReason !== "suspended") throw new Error(`${key}: ${output.finishReason}: ${output.text}`);
      return key;
    },
    async answer(key) {
      const output = await boss.resumeGenerate({ answer: ANSWER }, { runId: key });
      if (output.text !== WORDS) throw new Error(`${key}: not finished: ${output.finishReason} ${output.text}`);
    },
    async turn(dialog, nth) {
      const output = await scribe.generate(message(nth), { memory: { thread: dialog, resource: "bench" } });
      if (output.text !== WORDS) throw new Error(`${dialog}: ${output.finishReason} ${output.text}`);
    },
    close: () => Promise.resolve(),
  };
};

type Reply = string | { readonly name: string; readonly id: string; readonly input: object };
interface Heard {
  readonly first: string;
  readonly results: number;
  readonly lastRole: string;
  readonly lastText: string;
}
interface Prompted {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

/** A language model by the AI SDK's second specification. */
function model(reply: (heard: Heard) => Reply) {
  const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20 };
  const said = (prompt: readonly Prompted[]): Reply => {
    const last = prompt.at(-1);
    return reply({
      get first() {
        return textOf(prompt.find(({ role }) => role === "user"));
      },
      get results() {
        return prompt.filter(({ role }) => role === "tool").length;
      },
      lastRole: last?.role ?? "",
      lastText: textOf(last),
    });
  };
  return {
    specificationVersion: "v2" as const,
    provider: "bench",
    modelId: "instant",
    supportedUrls: {},
    doGenerate({ prompt }: { prompt: readonly Prompted[] }) {
      const answer = said(prompt);
      const content =
        typeof answer === "string"
          ? [{ type: "text" as const, text: answer }]
          : [{ type: "tool-call" as const, toolCallId: answer.id, toolName: answer.name, input: JSON.stringify(answer.input) }];
      return Promise.resolve({ content, usage, finishReason: typeof answer === "string" ? "stop" : "tool-calls", warnings: [] });
    },
    doStream({ prompt }: { prompt: readonly Prompted[] }) {
      const answer = said(prompt);
      const parts =
        typeof answer === "string"
          ? [
              { type: "text-start", id: "1" },
              { type: "text-delta", id: "1", delta: answer },
              { type: "text-end", id: "1" },
            ]
          : [{ type: "tool-call", toolCallId: answer.id, toolName: answer.name, input: JSON.stringify(answer.input) }];
      const finish = { type: "finish", usage, finishReason: typeof answer === "string" ? "stop" : "tool-calls" };
      return Promise.resolve({ stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, finish]) });
    },
  };
}

const textOf = (one: Prompted | undefined): string =>
  typeof one?.content === "string" ? one.content : (one?.content.findLast((part) => part.text !== undefined)?.text ?? "");
