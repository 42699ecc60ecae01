import type { TreeNode } from "@colloquy/library";
import type { PastAsk } from "../dialogs/ask-history.ts";
import { colourOf, glyphs, type State } from "../dialogs/dialog-state.ts";
import { nodesOf, stoppedIn, workingIn } from "../dialogs/tree-walk.ts";
import { dueText, questionGlyphs } from "./question-card.ts";
import type { Colours, Screen } from "./screen.ts";
import { ago, span } from "./time.ts";
import { oneLine } from "./visible.ts";
import { cut, padEnd, widest, widthOf, wrap } from "./width.ts";

/** One line of the picture, before its columns are aligned. */
interface Branch {
  readonly rails: string;
  readonly glyph: string;
  readonly colour: (text: string) => string;
  readonly name: string;
  readonly label: string;
  readonly id: string;
  readonly remark: string;
}

export interface Picture {
  readonly node: TreeNode;
  readonly asks: readonly PastAsk[];
  /** This process is driving it. */
  readonly isDriven: boolean;
  readonly nowMs: number;
  /** Includes branches that answered long ago. */
  readonly all: boolean;
}

const UNFOLDED_ASKS = 5;
const MAX_ASK_BACKS = 3;
const GAP_COLUMNS = 3;
const MIN_COLUMNS = 16;

/** A picture of who waits for whom; the last line says what the whole tree waits for. */
export function treeText(screen: Screen, picture: Picture): string {
  const { colours, columns } = screen;
  const branches = branchesOf(picture, picture.node, { own: "", below: "" }, colours);
  const idColumns = widest(branches.map(({ id }) => id));
  const remarkColumns = Math.min(widest(branches.map(({ remark }) => remark)), Math.floor(columns / 3));
  const room = Math.max(MIN_COLUMNS, columns - idColumns - remarkColumns - 2 * GAP_COLUMNS);
  const lefts = branches.map(({ rails, glyph, name, label }) =>
    cut(`${rails}${glyph} ${name}${name === "" || label === "" ? "" : "  "}${label}`, room),
  );
  const column = widest(lefts) + GAP_COLUMNS;
  const lines = branches.map(({ rails, glyph, colour, name, id, remark }, nth) => {
    const left = lefts[nth] ?? "";
    const styled = `${colours.dim(rails)}${colour(glyph)} ${colours.bold(name)}${left.slice(rails.length + glyph.length + 1 + name.length)}`;
    const tail = `${padEnd(id, idColumns)}${" ".repeat(GAP_COLUMNS)}${colours.dim(cut(remark, remarkColumns))}`;
    return `${styled}${" ".repeat(Math.max(1, column - widthOf(left)))}${tail}`.trimEnd();
  });
  return [...lines, ...wrap(endText(picture), columns).map((line) => colours.bold(line))].map((line) => `${line}\n`).join("");
}

/** The lines drawn before a branch, and before the branches below it. */
interface Rails {
  readonly own: string;
  readonly below: string;
}

type DrawBranches = (rails: Rails) => readonly Branch[];

function branchesOf(picture: Picture, node: TreeNode, rails: Rails, colours: Colours): readonly Branch[] {
  const { asks, isDriven, nowMs } = picture;
  const state: State = node.state === "working" && !isDriven ? "interrupted" : node.state;
  const own: Branch = {
    rails: rails.own,
    glyph: glyphs[state],
    colour: colourOf(state, colours),
    name: node.agentId,
    label: labelOf(node, rails.own === ""),
    id: node.selfId.slice(-6),
    remark: remarkOf(node, state, asks, nowMs),
  };
  const inner: readonly DrawBranches[] = [
    ...node.questions.map((question) => ({ own }: Rails) => [
      {
        rails: own,
        glyph: questionGlyphs[question.kind as keyof typeof questionGlyphs],
        colour: colours.yellow,
        name: "",
        label: oneLine(question.headline),
        id: question.id.slice(-6),
        remark: [ago(question.askedAt, nowMs), ...dueText({ deadline: question.deadline, otherwise: undefined }, nowMs)].join(" · "),
      },
    ]),
    ...askBacksOf(node, asks).map((ask) => ({ own }: Rails) => [askBackBranch(own, ask, nowMs, colours)]),
    ...childrenOf(picture, node, colours),
  ];
  const { below } = rails;
  const between: Rails = { own: `${below}├─`, below: `${below}│  ` };
  const last: Rails = { own: `${below}└─`, below: `${below}   ` };
  return [own, ...inner.flatMap((drawn, nth) => drawn(nth === inner.length - 1 ? last : between))];
}

/** If many have answered, the older ones are folded; pending ones are always shown. */
function childrenOf(picture: Picture, { children }: TreeNode, colours: Colours): readonly DrawBranches[] {
  const isOver = (child: TreeNode) => nodesOf(child).every(({ state }) => state === "done" || state === "idle" || state === "dead");
  const over = children.filter(isOver);
  const folded = picture.all || over.length <= 2 * UNFOLDED_ASKS ? [] : over.slice(0, -UNFOLDED_ASKS);
  const shown = children
    .filter((child) => !folded.includes(child))
    .map((child) => (rails: Rails) => branchesOf(picture, child, rails, colours));
  if (folded.length === 0) return shown;
  const more: DrawBranches = ({ own }) => [
    { rails: own, glyph: "…", colour: colours.dim, name: "", label: `${folded.length} more who have answered (--all)`, id: "", remark: "" },
  ];
  return [more, ...shown];
}

const labelOf = ({ title, session }: TreeNode, isMain: boolean): string =>
  session !== undefined ? `${session} (session)` : isMain ? oneLine(title) : `"${oneLine(title)}"`;

const askBacksOf = ({ selfId }: TreeNode, asks: readonly PastAsk[]): readonly PastAsk[] =>
  asks.filter((ask) => ask.kind === "tellaskBack" && ask.dialog === selfId).slice(-MAX_ASK_BACKS);

function askBackBranch(rails: string, ask: PastAsk, nowMs: number, colours: Colours): Branch {
  const answered = ask.answeredAt;
  return {
    rails,
    glyph: answered === undefined ? "◐" : "✓",
    colour: answered === undefined ? (text) => text : colours.green,
    name: ask.recipient,
    label: `(asked back: "${oneLine(ask.content)}")`,
    id: "",
    remark:
      answered === undefined
        ? ago(ask.askedAt, nowMs)
        : (ask.outcome ?? `answered in ${span(Date.parse(answered) - Date.parse(ask.askedAt))}`),
  };
}

function remarkOf(node: TreeNode, state: State, asks: readonly PastAsk[], nowMs: number): string {
  if (state === "asking") return "waits for you ↓";
  if (state === "waiting") return `waits for ${node.waitsFor.map((name) => (name === "person" ? "you" : name)).join(", ")}`;
  if (state === "working") return "working";
  if (state !== "done" && state !== "idle") return state;
  const last = asks.findLast((ask) => ask.to === node.selfId && ask.kind !== "tellaskBack");
  if (last?.answeredAt === undefined) return state;
  const when = ago(last.answeredAt, nowMs);
  return last.outcome ?? (when === "now" ? "answered now" : `answered ${when} ago`);
}

/** `everything waits for: you → 4be1d0` */
export function endText({ node, isDriven }: Pick<Picture, "node" | "isDriven">): string {
  const all = nodesOf(node);
  const questions = all.flatMap((one) => one.questions.filter(({ kind }) => kind !== "fault"));
  const people = questions.length > 0 ? [`you → ${questions.map(({ id }) => id.slice(-6)).join(", ")}`] : [];
  const still = stoppedIn(node).map(({ agentId, selfId }) => `${agentId}, who is stopped → colloquy resume ${selfId.slice(-6)}`);
  const busy = workingIn(node).map(({ agentId }) => agentId);
  const waits = [...people, ...still];
  if (busy.length > 0) {
    const work = isDriven
      ? `working: ${busy.join(", ")}`
      : `left in the middle: ${busy.join(", ")} → colloquy resume ${node.selfId.slice(-6)}`;
    return waits.length > 0 ? `${work} · waits for: ${waits.join("; ")}` : work;
  }
  if (waits.length > 0)
    return `${node.state === "waiting" || node.state === "asking" || node.state === "stopped" ? "everything waits for" : "still open"}: ${waits.join("; ")}`;
  return node.state === "idle" ? "nothing is open" : `nothing is open: ${node.state}`;
}
