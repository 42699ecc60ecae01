import type { OpenPeer } from "./peer.ts";

export interface System {
  readonly id: string;
  readonly name: string;
  /** The package whose version is shown. */
  readonly package?: string;
  readonly needs: readonly ("postgres" | "restate")[];
  /** Whether, and how, each step is synced before the next one begins. */
  readonly isSynced: boolean;
  readonly durability: string;
  load(): Promise<OpenPeer>;
}

export const COLLOQUY = "colloquy";

export const systems: readonly System[] = [
  {
    id: "bare",
    name: "bare append + sync",
    needs: [],
    isSynced: true,
    durability: "the physical limit: 8 lines appended and synced one by one (fdatasync), nothing read, nothing decided",
    load: async () => (await import("./bare.ts")).openBare,
  },
  {
    id: "bare-group",
    name: "bare, group commit",
    needs: [],
    isSynced: true,
    durability: "the same where all that comes while a sync is under way shares the next",
    load: async () => (await import("./bare.ts")).openBareGroup,
  },
  {
    id: COLLOQUY,
    name: "Colloquy",
    needs: [],
    isSynced: true,
    durability:
      "file store, as it comes: every commit in a journal written with O_DSYNC before anybody relies on it; commits that come together share a write",
    load: async () => (await import("./colloquy.ts")).openColloquy,
  },
  {
    id: "colloquy-postgres",
    name: "Colloquy, PostgreSQL",
    needs: ["postgres"],
    isSynced: true,
    durability:
      "the store in PostgreSQL, fsync and synchronous_commit on: every commit in the database before anybody relies on it; commits that come together share a statement",
    load: async () => (await import("./colloquy.ts")).openColloquyPostgres,
  },
  {
    id: "langgraph-sqlite",
    name: "LangGraph.js, SQLite",
    package: "@langchain/langgraph",
    needs: [],
    isSynced: true,
    durability: 'SqliteSaver, WAL, synchronous = FULL (as it comes: NORMAL, synced only at checkpoints), durability "sync"',
    load: async () => (await import("./langgraph.ts")).openLangGraphSqlite,
  },
  {
    id: "langgraph-postgres",
    name: "LangGraph.js, PostgreSQL",
    package: "@langchain/langgraph",
    needs: ["postgres"],
    isSynced: true,
    durability: 'PostgresSaver, fsync and synchronous_commit on, durability "sync"',
    load: async () => (await import("./langgraph.ts")).openLangGraphPostgres,
  },
  {
    id: "mastra",
    name: "Mastra, LibSQL",
    package: "@mastra/core",
    needs: [],
    isSynced: false,
    durability:
      "LibSQLStore as it comes (WAL, synced only at checkpoints); a snapshot when a run is suspended, messages at the end of a turn; the model is shown the whole thread, as everywhere here (as it comes: the last 10 messages)",
    load: async () => (await import("./mastra.ts")).openMastra,
  },
  {
    id: "openai-agents",
    name: "OpenAI Agents, file",
    package: "@openai/agents",
    needs: [],
    isSynced: false,
    durability:
      "the SDK keeps nothing: this harness writes the serialised run state to a file (synced, renamed) when a run is interrupted and when it ends, and a session's items at the end of a turn; nothing in between",
    load: async () => (await import("./openai-agents.ts")).openOpenAiAgents,
  },
  {
    id: "dbos",
    name: "DBOS, PostgreSQL",
    package: "@dbos-inc/dbos-sdk",
    needs: ["postgres"],
    isSynced: true,
    durability: "a transaction for each step, fsync and synchronous_commit on; no dialogs: history is kept in memory at no cost",
    load: async () => (await import("./dbos.ts")).openDbos,
  },
  {
    id: "restate",
    name: "Restate",
    package: "@restatedev/restate-server",
    needs: ["restate"],
    isSynced: true,
    durability: "its own server on the same machine, one node, log synced as it comes; the server is not killed, as a database is not",
    load: async () => (await import("./restate.ts")).openRestate,
  },
];
