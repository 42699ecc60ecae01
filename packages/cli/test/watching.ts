import type { QuestionView, RootId } from "@colloquy/library";
import pico from "picocolors";
import type { Asked, Item } from "../src/watch/board.ts";
import type { Canvas } from "../src/watch/draw.ts";

const rootOf = (nth: number): RootId => nth.toString(16).padStart(32, "0") as RootId;

export const question = (nth: number, over: Partial<QuestionView> = {}): Asked => ({
  agent: "Coder",
  asker: "Lead",
  question: {
    id: `${"e".repeat(26)}${String(nth).padStart(6, "0")}`,
    shown: `${nth}.0`,
    dialog: { rootId: rootOf(nth), selfId: `${"d".repeat(31)}${nth}` },
    agentId: "coder",
    headline: `Which database, ${nth}?`,
    text: "Orders need a home.",
    options: [{ label: "PostgreSQL", pros: ["transactions"], cons: ["a server"], recommended: true }, { label: "SQLite" }],
    multiple: false,
    allowOther: true,
    kind: "question",
    status: "open",
    askedAt: "2026-11-15T10:00:00.000Z",
    waitingBehind: 2,
    thread: [],
    ...over,
  } as unknown as QuestionView,
});

export const item = (nth: number, over: Partial<Item> = {}): Item => ({
  rootId: rootOf(nth),
  title: `Dialog ${nth}`,
  agent: "lead",
  state: "idle",
  lastModified: `2026-11-15T11:00:${String(nth).padStart(2, "0")}.000Z`,
  chain: "lead",
  questions: [],
  ...over,
});

export const asking = (nth: number, over: Partial<QuestionView> = {}): Item =>
  item(nth, { state: "asking", chain: "lead → coder → YOU", questions: [question(nth, over)] });

export const canvas = (columns: number, rows: number, over: Partial<Canvas> = {}): Canvas => ({
  columns,
  rows,
  nowMs: Date.parse("2026-11-15T12:00:00.000Z"),
  colours: pico.createColors(false),
  project: "shop",
  reading: [],
  ...over,
});
