import { colourOf, glyphs } from "../dialogs/dialog-state.ts";
import { costText } from "../dialogs/money.ts";
import { choiceLines } from "../terminal/choices.ts";
import { behindText, dueText, questionGlyphs } from "../terminal/question-card.ts";
import type { Colours } from "../terminal/screen.ts";
import { ago, span } from "../terminal/time.ts";
import { oneLine, visible } from "../terminal/visible.ts";
import { cut, padEnd, widthOf, wrap } from "../terminal/width.ts";
import type { Asked, Item } from "./board.ts";
import { isUnsorted, openQuestions, selectedItem, shownQuestion, visibleItems, type WatchState } from "./watch-state.ts";

export interface Canvas {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
  readonly colours: Colours;
  readonly project: string;
  /** The lines of the dialog being read. */
  readonly reading: readonly string[];
}

export interface Drawn {
  readonly lines: readonly string[];
  /** All of the question is on the screen. */
  readonly isWhole: boolean;
  /** How many items fit in the list. */
  readonly room: number;
}

/** Every item has exactly two lines, so nothing moves when its state changes. */
const ITEM_LINES = 2;
/** In a narrower window the question is below the list instead of beside it. */
const WIDE_COLUMNS = 90;
const MIN_COLUMNS = 40;
const MIN_ROWS = 8;
const KEYS = ["j k move", "Enter open", "1–9 choose", "/ find", "n new", "s stop", "? keys", "q quit"];

/** The whole screen, line by line. */
export function draw(state: WatchState, canvas: Canvas): Drawn {
  const { columns, rows } = canvas;
  const inner = rows - 2;
  if (columns < MIN_COLUMNS || rows < MIN_ROWS) return { lines: [cut("The window is too small.", columns)], isWhole: false, room: 1 };
  if (state.showsKeys) return { lines: framed(canvas, { head: "keys" }, [[HELP, columns - 2]], inner), isWhole: false, room: 1 };
  if (state.reading) return drawReading(state, canvas, inner);
  const head = headOf(state, canvas);
  if (columns >= WIDE_COLUMNS) {
    const left = Math.max(38, Math.min(56, Math.floor(columns * 0.45)));
    const right = columns - left - 3;
    const card = cardLines(state, canvas, right - 2, right - 2);
    const room = Math.max(1, Math.floor(inner / ITEM_LINES));
    const list = listLines(state, canvas, left, room);
    const panes = [
      [list, left],
      [padded(card.lines), right],
    ] as const;
    const lines = framed(canvas, { head, second: card.title, foot: footOf(state, canvas) }, panes, inner);
    return { lines, isWhole: card.lines.length <= inner, room };
  }
  const card = cardLines(state, canvas, columns - 4, columns - 6);
  const wanted = Math.min(card.lines.length, inner - 1 - 2 * ITEM_LINES);
  const room = Math.max(1, Math.floor((inner - 1 - wanted) / ITEM_LINES));
  const below = inner - 1 - room * ITEM_LINES;
  const list = filled(listLines(state, canvas, columns - 2, room), room * ITEM_LINES);
  const rule = `${cut(` ${card.title} `, columns - 4)}`;
  const ruled = `─${rule}${"─".repeat(Math.max(0, columns - 3 - widthOf(rule)))}`;
  const pane = [[...list, ruled, ...padded(card.lines).slice(0, below)], columns - 2] as const;
  const lines = framed(canvas, { head, foot: footOf(state, canvas) }, [pane], inner);
  return { lines, isWhole: card.lines.length <= below, room };
}

const padded = (lines: readonly string[]): readonly string[] => lines.map((line) => ` ${line}`);
const filled = (lines: readonly string[], count: number): readonly string[] => Array.from({ length: count }, (_, nth) => lines[nth] ?? "");

type Pane = readonly [lines: readonly string[], width: number];

interface FrameTitles {
  readonly head: string;
  /** Above the second pane. */
  readonly second?: string;
  readonly foot?: string;
}

/** One or two panes in a frame, with a title above each and one line below. */
function framed(
  { columns, colours }: Canvas,
  { head, second = "", foot = "" }: FrameTitles,
  panes: readonly Pane[],
  rows: number,
): readonly string[] {
  const { dim } = colours;
  const [first, other] = panes;
  const bar = (text: string, width: number) => {
    const title = text === "" ? "" : ` ${cut(text, width - 2)} `;
    return `${title}${dim("─".repeat(Math.max(0, width - widthOf(title))))}`;
  };
  const top = other
    ? `${dim("┌")}${bar(head, first?.[1] ?? 0)}${dim("┬")}${bar(second, other[1])}${dim("┐")}`
    : `${dim("┌")}${bar(head, columns - 2)}${dim("┐")}`;
  const body = Array.from({ length: rows }, (_, nth) => panes.map(([lines, width]) => fit(lines[nth] ?? "", width)).join(dim("│")));
  return [top, ...body.map((line) => `${dim("│")}${line}${dim("│")}`), `${dim("└")}${bar(foot, columns - 2)}${dim("┘")}`];
}

/** Lines are cut before they are coloured; one that is still too wide loses its colours, so that the frame stays intact. */
const fit = (line: string, width: number): string =>
  widthOf(line) <= width ? padEnd(line, width) : padEnd(cut(visible(line), width), width);

function headOf({ items }: WatchState, { project, colours }: Canvas): string {
  const working = items.filter((item) => item.state === "working").length;
  const asking = items.reduce((sum, item) => sum + item.questions.length, 0);
  const cost = items.reduce((sum, item) => sum + (item.cost ?? 0), 0);
  return [colours.bold(project), `${working} ● ${asking} ◆`, ...(cost > 0 ? [`${costText(cost)} $`] : [])].join(" ─ ");
}

function listLines(state: WatchState, canvas: Canvas, width: number, room: number): readonly string[] {
  const items = visibleItems(state);
  if (items.length === 0)
    return ["", state.find === "" ? " No dialogs yet. n starts one." : ` Nothing fits "${cut(state.find, 20)}". Esc shows all.`];
  return items.slice(state.top, state.top + room).flatMap((item) => itemLines(state, canvas, item, width));
}

function itemLines(state: WatchState, { nowMs, colours }: Canvas, item: Item, width: number): readonly string[] {
  const isSelected = item.rootId === state.selected;
  const open = openQuestions(state, item, nowMs);
  const glyph =
    open.length > 0 ? questionGlyphs[open[0]?.question.kind ?? "question"] : glyphs[item.state === "asking" ? "waiting" : item.state];
  const paint = open.length > 0 ? colours.yellow : colourOf(item.state, colours);
  const meta = cut(metaOf(item, open, nowMs), Math.floor(width / 2));
  const title = cut(oneLine(item.title), width - widthOf(meta) - 5);
  const first = padEnd(title, width - widthOf(meta) - 4);
  const mark = isSelected ? "›" : " ";
  const chain = cut(oneLine(item.stopped ?? item.chain), width - 4);
  const head = isSelected ? colours.bold(colours.inverse(`${first}${meta} `)) : `${first}${colours.dim(meta)} `;
  return [`${mark}${paint(glyph)} ${head}`, `   ${colours.dim(chain)}`];
}

function metaOf({ doing, state, lastModified }: Item, open: readonly Asked[], nowMs: number): string {
  const [first] = open;
  if (first) {
    const { askedAt, waitingBehind } = first.question;
    return [ago(askedAt, nowMs), ...behindText(waitingBehind), ...(open.length > 1 ? [`${open.length} questions`] : [])].join("  ");
  }
  if (doing) return `${oneLine(doing.text)} ${span(nowMs - doing.startedAt)}`;
  return state === "working" ? "working" : state === "idle" || state === "done" ? ago(lastModified, nowMs) : state;
}

/** The selected tree's whole question, or its state. */
function cardLines(
  state: WatchState,
  canvas: Canvas,
  width: number,
  titleWidth = 0,
): { readonly title: string; readonly lines: readonly string[] } {
  const { nowMs, colours } = canvas;
  const item = selectedItem(state);
  if (!item) return { title: "", lines: [emptyText(state)] };
  const asked = shownQuestion(state, nowMs);
  if (!asked) return { title: item.rootId.slice(-6), lines: restLines(state, item, width, colours) };
  const { question, agent, asker } = asked;
  const open = openQuestions(state, item, nowMs);
  const meta = [
    `${agent}${asker === undefined ? "" : `, for ${asker}`}`,
    ago(question.askedAt, nowMs),
    ...dueText(question, nowMs),
    ...behindText(question.waitingBehind),
    ...(open.length > 1 ? [`${Math.min(state.nth, open.length - 1) + 1} of ${open.length} (Tab)`] : []),
  ].join(" · ");
  const text = visible(question.text).trim();
  const thread = question.thread.flatMap(({ by, content }) => wrap(`${by === "owner" ? "you" : by}: ${visible(content).trim()}`, width));
  const title = `${question.id.slice(-6)}  ${questionGlyphs[question.kind]} ${oneLine(question.headline)}`;
  const lines = [
    // The frame already shows it, unless it is too long.
    ...(widthOf(title) <= titleWidth ? [] : wrap(oneLine(question.headline), width).map((line) => colours.bold(line))),
    ...wrap(meta, width).map(colours.dim),
    ...(text === "" ? [] : wrap(text, width)),
    ...choiceLines(question.options, width, colours, state.chosen),
    ...thread.map(colours.dim),
    ...wrap(keysOf(asked), width).map(colours.dim),
  ];
  return { title, lines };
}

function keysOf({ question }: Asked): string {
  if (question.kind === "approval") return "a approve  d deny  b ask back  h later  o open";
  if (question.kind === "limit" || question.kind === "fault") return "h later  o open";
  return "r write  b ask back  h later  o open";
}

function restLines({ later }: WatchState, item: Item, width: number, colours: Colours): readonly string[] {
  const putOff = item.questions.some(({ question }) => later.has(question.id));
  return [
    ...wrap(oneLine(item.title), width).map((line) => colours.bold(line)),
    ...wrap(`${item.agent} · ${item.stopped ?? (putOff ? "put off for later" : item.state)}`, width).map(colours.dim),
    "",
    ...wrap("Nothing is asked here. Enter reads it.", width),
  ];
}

function emptyText({ items }: WatchState): string {
  const working = items.filter(({ state }) => state === "working").length;
  if (items.length === 0) return "When an agent needs a decision, it appears here.";
  return working > 0 ? `Nothing is waiting for you. ${working} working.` : "Nothing is waiting for you.";
}

/** The result of the last key or input; else the keys. */
function footOf(state: WatchState, { columns, colours }: Canvas): string {
  const room = columns - 6;
  if (state.composer) {
    const { purpose, question, text } = state.composer;
    const label = { answer: "answer", back: "ask back", deny: "deny, because", new: "new dialog", find: "find" }[purpose];
    const head = `${label}${question ? ` ${question.id.slice(-6)}` : ""} › `;
    // Keeps the end of the input visible.
    const tail = [...text].reverse();
    let shown = "";
    for (const letter of tail) {
      if (widthOf(letter + shown) > room - widthOf(head) - 2) break;
      shown = letter + shown;
    }
    return `${colours.bold(head)}${shown}█`;
  }
  if (state.notice !== "") return colours.bold(cut(oneLine(state.notice), room));
  const keys = [...(isUnsorted(state) ? [". sort"] : []), ...KEYS];
  return keys.reduce((line, key) => (widthOf(line) + 2 + key.length <= room ? (line === "" ? key : `${line}  ${key}`) : line), "");
}

function drawReading(state: WatchState, canvas: Canvas, inner: number): Drawn {
  const { columns, reading } = canvas;
  const item = selectedItem(state);
  const card = shownQuestion(state, canvas.nowMs) ? cardLines(state, canvas, columns - 4) : { title: "", lines: [] };
  // The question stays below the text being read, as far as there is room.
  const below = Math.min(card.lines.length, Math.floor(inner / 2));
  const room = inner - below - (below > 0 ? 1 : 0);
  const last = Math.max(0, reading.length - room);
  const from = Math.max(0, last - Math.min(state.reading?.scroll ?? 0, last));
  const text = filled(padded(reading.slice(from, from + room)), room);
  const lines = [...text, ...(below > 0 ? ["─".repeat(columns - 2), ...padded(card.lines.slice(0, below))] : [])];
  const head = `${state.reading?.place.selfId.slice(-6)}  ${oneLine(item?.title ?? "")}`;
  const foot = state.composer || state.notice !== "" ? footOf(state, canvas) : "j k scroll  Esc back  ? keys  q quit";
  return { lines: framed(canvas, { head, foot }, [[lines, columns - 2]], inner), isWhole: card.lines.length <= below, room: 1 };
}

const HELP: readonly string[] = [
  "",
  "  j k, arrows   next, previous; scroll while reading",
  "  Enter         read the main dialog",
  "  o             read the dialog that asks",
  "  1–9           choose; the same key again or Enter sends",
  "  r             answer in your own words",
  "  b             ask back; the question stays open",
  "  a a           approve exactly what is shown, once",
  "  d             deny, with a reason",
  "  h             later: it comes back in an hour",
  "  Tab           next question of the same tree",
  "  n             a new dialog",
  "  s s           stop it and its side dialogs; again: resume",
  "  /             find",
  "  .             sort anew: what waits for you on top",
  "  Esc           back; text is kept",
  "  q             quit; nothing is lost",
  "",
  "  A key answers only what has stood here, whole and unchanged, for a moment.",
];
