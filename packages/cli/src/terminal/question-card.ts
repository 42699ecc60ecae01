import type { QuestionView } from "@colloquy/library";
import { choiceLines } from "./choices.ts";
import type { Colours, Screen } from "./screen.ts";
import { ago, clock, dueClock } from "./time.ts";
import { exactly, oneLine, visible } from "./visible.ts";
import { cut, padEnd, widest, widthOf, wrap } from "./width.ts";

/** A question with the names to show. */
export interface Card {
  readonly question: QuestionView;
  /** The asking agent's name. */
  readonly agent: string;
  /** The title of its main dialog. */
  readonly title: string;
}

const INDENT = "          ";
/** Longer details of an approval or a fault are left to `show`. */
const MAX_LINES = 8;
const MAX_TITLE_COLUMNS = 30;
const GAP_COLUMNS = 3;

/** The shape shows the kind, not colour alone. */
export const questionGlyphs: Readonly<Record<QuestionView["kind"], string>> = {
  question: "◆",
  confirmation: "◆",
  approval: "⛨",
  limit: "!",
  fault: "!",
};

/** The inbox: one card per question, with its choices but without its text, and the commands that answer. */
export function inboxText(screen: Screen, cards: readonly Card[], nowMs: number): string {
  const { columns, colours } = screen;
  const rows = cards.map((card) => ({ card, head: headOf(card, columns), meta: metaOf(card, nowMs) }));
  // If it fits, the rest goes right of the headline, in one column.
  const fits = ({ head, meta }: (typeof rows)[number]) =>
    head.length === 1 && widthOf(head[0] ?? "") + GAP_COLUMNS + widthOf(meta) <= columns;
  const beside = rows.filter(fits);
  const column = Math.min(widest(beside.map(({ head }) => head[0] ?? "")) + GAP_COLUMNS, columns - widest(beside.map(({ meta }) => meta)));
  const lines = rows.flatMap((row) => {
    const { card, meta } = row;
    const [first = "", ...rest] = row.head;
    if (fits(row)) {
      const padded = padEnd(first, Math.max(column, widthOf(first) + GAP_COLUMNS));
      return [`${styledHead(colours, card, padded)}${colours.dim(meta)}`, ...bodyLines(card, screen)];
    }
    const below = wrap(meta, columns - INDENT.length).map((line) => INDENT + colours.dim(line));
    return [styledHead(colours, card, first), ...rest.map(colours.bold), ...below, ...bodyLines(card, screen)];
  });
  return lines.map((line) => `${line.trimEnd()}\n`).join("") + commandsText(screen, cards);
}

/** One whole question: the text, the choices, and its thread. */
export function cardText(screen: Screen, card: Card, nowMs: number, hasCommands = true): string {
  const { question } = card;
  const { colours, columns } = screen;
  const [first = "", ...rest] = headOf(card, columns);
  const room = columns - INDENT.length;
  const indented = (lines: readonly string[], style: (text: string) => string = (text) => text) =>
    lines.map((line) => INDENT + style(line));
  const thread = question.thread.flatMap(({ by, content }) => wrap(`${by === "owner" ? "you" : by}: ${visible(content).trim()}`, room));
  const text = exactly(question.text).trim();
  const isOpen = question.status === "open";
  const lines = [
    styledHead(colours, card, first),
    ...rest.map(colours.bold),
    ...indented(wrap(metaOf(card, nowMs), room), colours.dim),
    ...(text === "" ? [] : indented(wrap(text, room))),
    ...indented(choiceLines(question.options, room, colours)),
    ...indented(freedomLines(question), colours.dim),
    ...(thread.length > 0 ? indented(["── asked back ──", ...thread], colours.dim) : []),
    ...(isOpen ? [] : indented(wrap(endingOf(question, nowMs), room))),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("") + (isOpen && hasCommands ? commandsText(screen, [card]) : "");
}

/** `4be1d0  ◆ Which database for orders?`, wrapped if longer than the screen. */
function headOf({ question }: Card, columns: number): readonly string[] {
  const id = question.id.slice(-6);
  const glyph = question.status === "open" ? questionGlyphs[question.kind] : "✓";
  const [first = "", ...rest] = wrap(oneLine(question.headline), columns - INDENT.length);
  return [`${id}  ${glyph} ${first}`, ...rest.map((line) => INDENT + line)];
}

function styledHead(colours: Colours, { question }: Card, line: string): string {
  const glyph = line.slice(8, 9);
  const mark = question.status !== "open" ? colours.dim(glyph) : question.kind === "fault" ? colours.red(glyph) : colours.yellow(glyph);
  return `${line.slice(0, 8)}${mark}${colours.bold(line.slice(9))}`;
}

/** `Coder · Orders API · 2 h · due 18:00 · 3 wait` */
function metaOf({ question, agent, title }: Card, nowMs: number): string {
  return [
    agent,
    cut(oneLine(title), MAX_TITLE_COLUMNS),
    ago(question.askedAt, nowMs),
    ...givenText(question, nowMs),
    ...(question.status === "open" ? dueText(question, nowMs) : [endingOf(question, nowMs)]),
    ...behindText(question.waitingBehind),
  ].join(" · ");
}

/** Its agent's own name for it, by which it can be answered, and when the agent says it wrote it. */
const givenText = ({ given }: QuestionView, nowMs: number): readonly string[] => [
  ...(given?.id === undefined ? [] : [`id ${oneLine(given.id)}`]),
  ...(given?.createdAt === undefined ? [] : [`written ${clock(given.createdAt, nowMs)}`]),
];

/** The number of dialogs it blocks. */
export const behindText = (count: number): readonly string[] => (count > 0 ? [`${count} ${count === 1 ? "waits" : "wait"}`] : []);

export const dueText = ({ deadline, otherwise }: Pick<QuestionView, "deadline" | "otherwise">, nowMs: number): readonly string[] =>
  deadline === undefined ? [] : [`due ${dueClock(deadline, nowMs)}${otherwise === undefined ? "" : `, else ${oneLine(otherwise)}`}`];

const VERDICTS = { approved: "approved", denied: "denied", changed: "approved with changes" } as const;

/** How it ended: `you: "PostgreSQL"`, `withdrawn`. */
function endingOf({ status, answer }: QuestionView, nowMs: number): string {
  if (!answer) return status;
  const words = oneLine([answer.choice?.join(", "), answer.content].filter(Boolean).join(" · "));
  const who = answer.by === "owner" ? "you" : answer.signed ? `${answer.by}, signed,` : answer.by;
  return `${answer.verdict ? VERDICTS[answer.verdict] : status} by ${who} at ${clock(answer.at, nowMs)}${words === "" ? "" : `: "${words}"`}`;
}

/** What a person must see before deciding: what will run, why it stopped, the choices. */
function bodyLines({ question }: Card, { columns, colours }: Screen): readonly string[] {
  if (question.status !== "open") return [];
  const room = columns - INDENT.length;
  const text = question.kind === "question" || question.kind === "confirmation" ? "" : exactly(question.text).trim();
  const lines = text === "" ? [] : wrap(text, room);
  const shown = lines.length > MAX_LINES ? [...lines.slice(0, MAX_LINES), `… all of it: colloquy show ${question.id.slice(-6)}`] : lines;
  return [...shown.map((line) => INDENT + colours.dim(line)), ...choiceLines(question.options, room, colours).map((line) => INDENT + line)];
}

function freedomLines({ status, options, multiple, allowOther }: QuestionView): readonly string[] {
  if (status !== "open" || options.length === 0) return [];
  if (multiple) return ["Several may be chosen."];
  return allowOther ? ["Or in your own words."] : [];
}

/** The commands that answer, one for each kind present. */
function commandsText({ colours, columns }: Screen, cards: readonly Card[]): string {
  const firstOf = (kinds: readonly QuestionView["kind"][]) =>
    cards.map((card) => card.question).find(({ status, kind }) => status === "open" && kinds.includes(kind));
  const asked = firstOf(["question", "confirmation", "limit"]);
  const approval = firstOf(["approval"]);
  const fault = firstOf(["fault"]);
  const commands = [
    ...(asked ? [`answer: ${answerCommand(asked)}`] : []),
    ...(approval ? [`approve: colloquy approve ${approval.id.slice(-6)}`, `deny: colloquy deny ${approval.id.slice(-6)}`] : []),
    ...(fault ? [`continue: ${answerCommand(fault)}`] : []),
  ];
  const lines: string[] = [];
  for (const command of commands) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 5 + widthOf(command) <= columns) lines[lines.length - 1] = `${last}     ${command}`;
    else lines.push(command);
  }
  return lines.map((line) => `${colours.dim(line)}\n`).join("");
}

/** The command names the recommended choice. */
function answerCommand({ id, options }: Pick<QuestionView, "id" | "options">): string {
  const recommended = options.findIndex((option) => option.recommended);
  return `colloquy answer ${id.slice(-6)} ${options.length > 0 ? `--choice ${Math.max(0, recommended) + 1}` : '"…"'}`;
}
