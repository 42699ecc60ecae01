import type { AgentId, AutonomyConfig, DialogId } from "@colloquy/schema";
import { situation } from "./situation.ts";
import { excerpt, type Section, SECTIONS } from "../tasks/taskdoc.ts";
import type { Texts } from "../texts/texts.ts";
import type { Dialog, Tree } from "../state/tree.ts";

/** What a prompt needs to know about its agent. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  /** Its output schema, as JSON Schema. */
  readonly outputSchema?: string | undefined;
}

export interface PromptHead {
  readonly member: Member;
  readonly team: readonly Member[];
  readonly texts: Texts;
  /** The agent asks in text, because its model cannot call tools. */
  readonly asksInText: boolean;
  readonly hasFreshBoots: boolean;
  readonly papers: Papers;
  /** Now, in milliseconds. */
  readonly at: number;
  /** Its autonomy. */
  readonly autonomy: AutonomyConfig;
  /** Unavailable tools, one line each with the reason. */
  readonly missing: readonly string[];
}

/** The documents that an agent reads before anything else. */
export interface Papers {
  /** The project's AGENTS.md, cut to fit, and its full length. */
  readonly notes: { readonly text: string; readonly size: number } | undefined;
  readonly memory: readonly { readonly scope: "team" | "own"; readonly path: string; readonly text: string }[];
  /** Memory files that do not fit. They are only listed, with their size in characters. */
  readonly more: readonly { readonly scope: "team" | "own"; readonly path: string; readonly size: number }[];
  readonly taskdoc: Readonly<Partial<Record<Section, string>>>;
}

export const NO_PAPERS: Papers = { notes: undefined, memory: [], more: [], taskdoc: {} };

/** The texts before the history. The stable part comes first so that providers can cache it. Fresh boots get only the role. */
export function promptHead(tree: Tree, id: DialogId, head: PromptHead): readonly string[] {
  const { member, texts, papers, at, autonomy, missing } = head;
  const dialog = tree.dialogs.get(id);
  const role = `${texts.whoYouAre(member.name, member.id)}\n\n${member.role.trim()}`;
  if (!dialog || dialog.side?.fresh) return [role];
  const promise = member.outputSchema === undefined ? "" : `\n\n${texts.outputRule(member.outputSchema)}`;
  const reading = [readingOf(papers, texts), texts.phaseIs(dialog.phase)].filter((text) => text !== "").join("\n\n");
  const place = situation({ tree, dialog, agent: member.id as AgentId, at }, texts);
  const here = missing.length > 0 ? `${place}\n\n${texts.serversDown(missing)}` : place;
  return [role + promise, `${keptWorking(dialog, head)}\n\n${autonomyOf(autonomy, texts)}`, reading, here];
}

/** A cache by language and team: nearly every request starts with the same few texts. A reloaded team is a new key. */
const kept = new WeakMap<Texts, WeakMap<PromptHead["team"], Map<string, string>>>();

function keptWorking(dialog: Dialog, head: PromptHead): string {
  const { member, team, texts, asksInText, hasFreshBoots } = head;
  const ofTexts = kept.get(texts) ?? new WeakMap<PromptHead["team"], Map<string, string>>();
  const ofTeam = ofTexts.get(team) ?? new Map<string, string>();
  const key = `${member.id}/${dialog.agent === member.id}/${dialog.side !== undefined}/${asksInText}/${hasFreshBoots}`;
  const known = ofTeam.get(key);
  if (known !== undefined) return known;
  const working = workingOf(dialog, head).join("\n\n");
  kept.set(texts, ofTexts.set(team, ofTeam.set(key, working)));
  return working;
}

/** The team, and the rules for asking, asking people, delivering and taking notes. */
function workingOf(dialog: Dialog, { member, team, texts, asksInText, hasFreshBoots }: PromptHead): readonly string[] {
  const others = team.filter((one) => one.id !== member.id).map((one) => `- @${one.id} (${one.name}): ${firstLine(one.role)}`);
  const isOwn = dialog.agent === member.id;
  const delivers = dialog.side && isOwn;
  if (asksInText) {
    return [
      ...(others.length > 0 ? [`${texts.teamHeader}\n${others.join("\n")}`] : []),
      texts.textSyntax,
      texts.goodQuestions("!?@human"),
      ...(delivers ? [texts.deliveryRule("!?@tellasker")] : []),
    ];
  }
  return [
    ...(others.length > 0 ? [`${texts.teamHeader}\n${others.join("\n")}`, texts.howToAsk(hasFreshBoots)] : []),
    ...(others.length === 0 && hasFreshBoots ? [texts.freshBootsAlone] : []),
    texts.goodQuestions("askHuman"),
    ...(delivers ? [texts.deliveryRule("tellaskBack")] : []),
    texts.howToRemember(isOwn ? (dialog.side ? "side" : "main") : "guest"),
  ];
}

/** The autonomy settings, by class. */
const autonomyOf = (autonomy: AutonomyConfig, texts: Texts): string =>
  [
    texts.autonomyHeader,
    ...(["scopeChanges", "architectureDecisions", "dependencyModifications"] as const).map(
      (kind) => `- ${kind} (${texts.actClass(kind)}): ${texts.autonomyLevel(autonomy[kind])}`,
    ),
  ].join("\n");

/** The project's notes, memory and Taskdoc; empty if there are none. */
function readingOf({ notes, memory, more, taskdoc }: Papers, texts: Texts): string {
  const remembered = (scope: "team" | "own") => {
    const files = memory.filter((file) => file.scope === scope).map(({ path, text }) => `## ${path}\n${text.trim()}`);
    return files.length > 0 ? [`${texts.memoryHeader(scope)}\n\n${files.join("\n\n")}`] : [];
  };
  const sections = SECTIONS.map(
    (section) => `## ${section}\n${excerpt(taskdoc[section]?.trim() ?? "", texts.documentCut) || texts.emptySection}`,
  );
  return [
    ...(notes === undefined ? [] : [`${texts.projectNotes}\n\n${fit(notes, texts)}`]),
    ...remembered("team"),
    ...remembered("own"),
    ...(more.length > 0 ? [texts.moreMemory(more)] : []),
    ...(Object.keys(taskdoc).length > 0 ? [`${texts.taskdocHeader}\n\n${sections.join("\n\n")}`] : []),
  ].join("\n\n");
}

const fit = ({ text, size }: NonNullable<Papers["notes"]>, texts: Texts): string =>
  size > text.length ? `${text.trim()}\n${texts.notesCut(text.length, size)}` : text.trim();

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
