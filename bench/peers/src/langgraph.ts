import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, Command, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { join } from "node:path";
import type { OpenPeer, Peer, Place } from "./peer.ts";
import { ANSWER, found, keyOf, message, pattern, question, task, WORDS } from "./script.ts";

/** In WAL mode this SQLite syncs only at checkpoints unless it is told to; FULL syncs each transaction, as the others do. */
export const openLangGraphSqlite: OpenPeer = (place) => {
  const db = new Database(join(place.dir, "checkpoints.db"));
  db.pragma("synchronous = FULL");
  return Promise.resolve(peer(place, new SqliteSaver(db), () => Promise.resolve(void db.close())));
};

export const openLangGraphPostgres: OpenPeer = async (place) => {
  const saver = PostgresSaver.fromConnString(place.postgres);
  await saver.setup();
  return peer(place, saver, () => saver.end());
};

type State = typeof MessagesAnnotation.State;
const textOf = (state: State, at: number): string => String(state.messages.at(at)?.content ?? "");
const calls = (id: string, name: string, args: Record<string, unknown>) => ({
  messages: [new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] })],
});
const says = { messages: () => [new AIMessage(WORDS)] };

function peer({ resumed }: Place, checkpointer: BaseCheckpointSaver, close: () => Promise<void>): Peer {
  // A subgraph as a node: its interrupt is stored in the parent's checkpoint.
  const specialist = new StateGraph(MessagesAnnotation)
    .addNode("specialist", (state) => {
      const key = keyOf(textOf(state, 0));
      if (state.messages.at(-1)?.getType() !== "tool") return calls(`ask_${key}`, "ask_human", { question: question(key) });
      resumed(key);
      return { messages: says.messages() };
    })
    .addNode("human", (state) => {
      const call = (state.messages.at(-1) as AIMessage).tool_calls?.[0];
      const answer = interrupt<unknown, string>(call?.args["question"]);
      return { messages: [new ToolMessage({ content: answer, tool_call_id: call?.id ?? "" })] };
    })
    .addEdge(START, "specialist")
    .addConditionalEdges("specialist", (state) => ((state.messages.at(-1) as AIMessage).tool_calls?.length ? "human" : END), ["human", END])
    .addEdge("human", "specialist")
    .compile();
  const team = new StateGraph(MessagesAnnotation)
    .addNode("lead", (state) => {
      const key = keyOf(textOf(state, 0));
      if (state.messages.length > 1) return { messages: says.messages() };
      return calls(`tell_${key}`, "specialist", { task: task(key) });
    })
    .addNode("specialist", async (state) => {
      const key = keyOf(textOf(state, 0));
      const said = await specialist.invoke({ messages: [new HumanMessage(task(key))] });
      return { messages: [new ToolMessage({ content: textOf(said, -1), tool_call_id: `tell_${key}` })] };
    })
    .addEdge(START, "lead")
    .addConditionalEdges("lead", (state) => ((state.messages.at(-1) as AIMessage).tool_calls?.length ? "specialist" : END), [
      "specialist",
      END,
    ])
    .addEdge("specialist", "lead")
    .compile({ checkpointer });
  const clerk = new StateGraph(MessagesAnnotation)
    .addNode("clerk", (state) => {
      if (state.messages.at(-1)?.getType() === "tool") return { messages: says.messages() };
      const nth = Number(keyOf(textOf(state, -1)));
      return calls(`call_${nth}`, "search_files", { pattern: pattern(nth) });
    })
    .addNode("tools", (state) => {
      const call = (state.messages.at(-1) as AIMessage).tool_calls?.[0];
      return { messages: [new ToolMessage({ content: found(String(call?.args["pattern"])), tool_call_id: call?.id ?? "" })] };
    })
    .addEdge(START, "clerk")
    .addConditionalEdges("clerk", (state) => ((state.messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : END), ["tools", END])
    .addEdge("tools", "clerk")
    .compile({ checkpointer });
  // Durability "sync": the checkpoint of a step is written before the next one begins.
  const of = (thread_id: string) => ({ configurable: { thread_id }, durability: "sync" as const });
  return {
    async ask(key) {
      const said = await team.invoke({ messages: [new HumanMessage(task(key))] }, of(key));
      if (!("__interrupt__" in said)) throw new Error(`${key}: no interrupt`);
      return key;
    },
    async answer(key) {
      const said = await team.invoke(new Command({ resume: ANSWER }), of(key));
      if ("__interrupt__" in said || said.messages.length !== 4) throw new Error(`${key}: not finished`);
    },
    async turn(dialog, nth) {
      const said = await clerk.invoke({ messages: [new HumanMessage(message(nth))] }, of(dialog));
      if (said.messages.length !== 4 * nth) throw new Error(`${dialog}: ${said.messages.length} messages after turn ${nth}`);
    },
    close,
  };
}
