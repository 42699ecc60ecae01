import type { AgentId, DialogId } from "@colloquy/schema";
import { type Section, SECTIONS } from "./taskdoc.ts";
import type { Texts } from "./texts.ts";
import { type Dialog, runOf, type Tree } from "./tree.ts";

/** An agent as its prompt needs it. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

export interface PromptHead {
  readonly member: Member;
  readonly team: readonly Member[];
  readonly texts: Texts;
  /** It asks by writing, because its model cannot call tools. */
  readonly asksInText: boolean;
  readonly papers: Papers;
}

/** The documents that an agent reads before anything else. */
export interface Papers {
  /** The nearest AGENTS.md of the project. */
  readonly notes: string | undefined;
  readonly memory: readonly { readonly scope: "team" | "own"; readonly path: string; readonly text: string }[];
  /** Memory that does not fit: only named. */
  readonly more: readonly string[];
  readonly taskdoc: Readonly<Partial<Record<Section, string>>>;
}

export const NO_PAPERS: Papers = { notes: undefined, memory: [], more: [], taskdoc: {} };

/** What stands before the history, stable part first so that providers can cache it. Fresh boots get nothing but the role. */
export function promptHead(tree: Tree, id: DialogId, { member, team, texts, asksInText, papers }: PromptHead): readonly string[] {
  const dialog = tree.dialogs.get(id);
  const role = `${texts.whoYouAre(member.name, member.id)}\n\n${member.role.trim()}`;
  if (!dialog || dialog.side?.fresh) return [role];
  const others = team.filter((one) => one.id !== member.id);
  const asking = [
    ...(others.length > 0
      ? [`${texts.teamHeader}\n${others.map((one) => `- @${one.id} (${one.name}): ${firstLine(one.role)}`).join("\n")}`]
      : []),
    asksInText ? texts.textSyntax : texts.howToAsk,
    texts.goodQuestions,
    ...(dialog.side ? [texts.deliveryRule] : []),
  ];
  const reading = readingOf(papers, texts);
  return [role, asking.join("\n\n"), ...(reading === "" ? [] : [reading]), situation(tree, dialog, member.id as AgentId, texts)];
}

/** What the project, memory and Taskdoc say; nothing where there is nothing. */
function readingOf({ notes, memory, more, taskdoc }: Papers, texts: Texts): string {
  const remembered = (scope: "team" | "own") => {
    const files = memory.filter((file) => file.scope === scope).map(({ path, text }) => `## ${path}\n${text.trim()}`);
    return files.length > 0 ? [`${texts.memoryHeader(scope)}\n\n${files.join("\n\n")}`] : [];
  };
  const sections = SECTIONS.map((section) => `## ${section}\n${taskdoc[section]?.trim() || texts.emptySection}`);
  return [
    ...(notes === undefined ? [] : [`${texts.projectNotes}\n\n${notes.trim()}`]),
    ...remembered("team"),
    ...remembered("own"),
    ...(more.length > 0 ? [texts.moreMemory(more)] : []),
    ...(Object.keys(taskdoc).length > 0 ? [`${texts.taskdocHeader}\n\n${sections.join("\n\n")}`] : []),
  ].join("\n\n");
}

/** The changing part, last of the head: where the agent stands. */
function situation(tree: Tree, dialog: Dialog, agent: AgentId, texts: Texts): string {
  const asker = dialog.assignment === undefined ? undefined : tree.asks.get(dialog.assignment)?.from.agent;
  const turns = runOf(tree, dialog.id, agent)?.turns ?? [];
  const asks = turns.flatMap((turn) => [...turn.asks, ...turn.each]).flatMap((id) => tree.asks.get(id) ?? []);
  const below = [...tree.openQuestions.keys()]
    .flatMap((id) => tree.questions.get(id) ?? [])
    .filter((one) => isBelow(tree, one.dialog, dialog.id));
  const list = (header: string, lines: readonly string[]) =>
    lines.length > 0 ? [`${header}\n${lines.map((line) => `- ${line}`).join("\n")}`] : [];
  return [
    dialog.side ? texts.placeSide(asker ?? tree.dialogs.get(dialog.side.asker)?.agent ?? "") : texts.placeMain,
    ...list(
      texts.remindersHeader,
      dialog.reminders.map((one) => `${one.id}: ${one.content}`),
    ),
    ...list(
      texts.openAsksHeader,
      asks.map((ask) => `@${ask.recipient}: ${ask.headline}`),
    ),
    ...list(
      texts.openQuestionsHeader,
      below.map((one) => `@${one.agent}: ${one.headline}`),
    ),
    ...(dialog.side ? [] : list(texts.sessionsHeader, [...tree.registry.values()].map((one) => `@${one.agent} ${one.slug}`).toSorted())),
  ].join("\n\n");
}

/** Did this dialog's asking, directly or through others, lead to the other one? */
function isBelow(tree: Tree, id: DialogId, above: DialogId): boolean {
  const asker = tree.dialogs.get(id)?.side?.asker;
  return asker !== undefined && (asker === above || isBelow(tree, asker, above));
}

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
