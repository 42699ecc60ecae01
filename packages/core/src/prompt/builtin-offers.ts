import { builtinInputs, type BuiltinTool, inputHints } from "@colloquy/schema";
import { z } from "zod";
import type { Dialog, Turn } from "../state/tree.ts";
import type { Language } from "../texts/texts.ts";
import { chineseHints, toolDescriptions } from "./tool-descriptions.ts";

export interface BuiltinOffer {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const TASKS: readonly BuiltinTool[] = ["create_task", "update_task", "create_plan", "update_prd"];
const IN_THREAD: readonly BuiltinTool[] = ["revise_question", "withdraw_question"];
const ALWAYS: readonly BuiltinTool[] = [
  "tellask",
  "tellaskSessionless",
  "delegate",
  "askHuman",
  "cancel_asks",
  "add_reminder",
  "update_reminder",
  "delete_reminder",
  "remember",
  "recall",
  "forget",
  "record_decision",
  "read_result",
  "end_session",
];

/** The agent to which tools are offered. */
export interface ToolUser {
  readonly agent: string;
  readonly hasFreshBoots: boolean;
  readonly hasTasks?: boolean | undefined;
  /** The project's; default: English. */
  readonly language?: Language | undefined;
}

/** The built-in tools that an agent has in this turn. The order is fixed so that providers can cache it. */
export function builtinOffers(dialog: Dialog, turn: Turn, user: ToolUser): readonly BuiltinOffer[] {
  const { agent, hasFreshBoots, hasTasks = false, language = "en" } = user;
  const offer = (name: BuiltinTool): BuiltinOffer => offerIn(language, name);
  if (dialog.side?.fresh) return [];
  if (turn.cause.kind === "thread") return IN_THREAD.map(offer);
  const isOwn = dialog.agent === agent;
  const own: readonly BuiltinTool[] = isOwn
    ? [...(dialog.side ? (["tellaskBack"] as const) : (["change_mind", "mark_done"] as const)), "clear_mind", "set_phase"]
    : [];
  return [...ALWAYS, ...(hasFreshBoots ? (["freshBootsReasoning"] as const) : []), ...own, ...(hasTasks ? TASKS : [])].map(offer);
}

const offers = { en: new Map<BuiltinTool, BuiltinOffer>(), zh: new Map<BuiltinTool, BuiltinOffer>() };

/** Built on first use: the schemas never change. */
function offerIn(language: Language, name: BuiltinTool): BuiltinOffer {
  const known = offers[language].get(name);
  if (known) return known;
  const schema = z.toJSONSchema(builtinInputs[name], { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
  const made = { name, description: toolDescriptions[language][name], input: language === "zh" ? inChinese(schema) : schema };
  offers[language].set(name, made);
  return made;
}

const chineseOf = new Map<unknown, string>(
  (Object.keys(inputHints) as (keyof typeof inputHints)[]).map((name) => [inputHints[name], chineseHints[name]]),
);

/** A JSON Schema with its descriptions in Chinese. */
function inChinese(schema: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === "description" ? (chineseOf.get(value) ?? value) : value));
  return JSON.parse(text) as Record<string, unknown>;
}
