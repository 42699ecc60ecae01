import type { ComparedSide, Comparison, StoryRow } from "@colloquy/schema";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import type { Screen } from "../../terminal/screen.ts";
import { field } from "../../terminal/table.ts";
import { oneLine } from "../../terminal/visible.ts";
import { padEnd, wrap } from "../../terminal/width.ts";

export const compare = defineCommand({
  words: ["DIALOG", "DIALOG"],
  options: {},
  about: {
    en:
      "Shows two dialogs with their side dialogs next to each other, such as a fork and its original: what they share, and from where " +
      "they part, what each said, called, changed and cost. In a pipe one per line: 1 or 2 for the side, event, kind, who, text; before " +
      "them the sums of each side.",
    zh: "并排显示两个对话及其子对话，例如分叉和原对话：共同的部分，以及分开之后各自说了什么、调用了什么、改动了什么、花了多少。在管道中每行一个：1 或 2 表示哪一边、事件、种类、谁、文字；之前是各边的合计。",
  },
  examples: [["colloquy compare 7f3a2c 91c0de", { en: "a fork beside its original", zh: "分叉与原对话并排" }]],

  run: (call) =>
    withProject(call, async (project) => {
      const [one, other, extra] = call.words;
      if (one === undefined || other === undefined || extra !== undefined)
        throw wrongUsage("Name two dialogs: colloquy compare DIALOG DIALOG");
      const [left, right] = [await findDialog(project, one), await findDialog(project, other)];
      const compared = await project.compare(left.rootId, right.rootId);
      print(call, { comparison: compared }, () => (call.shell.out.isTerminal ? drawn(call, compared) : lines(compared)));
      return ExitCode.done;
    }),
});

const FIGURES: readonly (readonly [name: string, of: (side: ComparedSide) => string])[] = [
  ["steps", ({ steps }) => String(steps)],
  ["words", ({ words }) => String(words)],
  ["tokens", ({ tokens }) => String(tokens)],
  ["cost", ({ cost }) => `$${cost.toFixed(4)}`],
  [
    "calls",
    ({ calls }) =>
      Object.entries(calls)
        .map(([tool, count]) => `${tool} ${count}`)
        .join(", "),
  ],
  ["files", ({ files }) => files.join(", ")],
];

function lines({ sides }: Comparison): string {
  const cells = (all: readonly string[]) => `${all.map(field).join("\t")}\n`;
  return sides
    .flatMap((side, nth) => [
      ...FIGURES.map(([name, of]) => cells([String(nth + 1), "", name, "", of(side)])),
      ...side.rows.map(({ seq, kind, who, text }) => cells([String(nth + 1), String(seq), kind, who, text])),
    ])
    .join("");
}

const GAP = " │ ";

/** Two columns. Rows after the parting stand beside each other by their place alone. */
function drawn({ shell: { out } }: Pick<Call, "shell">, { same, last, sides }: Comparison): string {
  const [left, right] = sides;
  const { bold, dim } = out.colours;
  const width = Math.max(16, Math.floor((out.columns - GAP.length) / 2));
  const beside = (one: readonly string[], other: readonly string[], style = (text: string) => text) =>
    Array.from({ length: Math.max(one.length, other.length) }, (_, nth) =>
      `${style(padEnd(one[nth] ?? "", width))}${dim(GAP)}${style(other[nth] ?? "")}`.trimEnd(),
    );
  const heads = beside(...both(sides, ({ rootId, title }) => wrap(`${shortId(rootId)} ${oneLine(title)}`, width)), bold);
  const figures = FIGURES.flatMap(([name, of]) => beside(...both(sides, (side) => wrap(`${name}: ${oneLine(of(side))}`, width))));
  const shared = last ? `The same for ${same} rows, until ${last.who}: ${oneLine(last.text)}` : "They differ from the beginning.";
  const rows = Array.from({ length: Math.max(left.rows.length, right.rows.length) }, (_, nth) =>
    beside(rowText(out, left.rows[nth], width), rowText(out, right.rows[nth], width)),
  ).flat();
  const more =
    left.more + right.more > 0 ? [`${left.more} and ${right.more} more rows: --json has what is shown, colloquy log has all.`] : [];
  const end = left.rows.length + right.rows.length === 0 ? ["Nothing differs."] : rows;
  return [...heads, ...figures, "", ...wrap(shared, out.columns).slice(0, 3).map(dim), "", ...end, ...more]
    .map((line) => `${line}\n`)
    .join("");
}

const both = <T>([left, right]: Comparison["sides"], of: (side: ComparedSide) => T): [T, T] => [of(left), of(right)];

const MAX_LINES = 8;
const SIGNS: Readonly<Record<StoryRow["kind"], string>> = {
  message: "",
  said: "",
  called: "⚙ ",
  result: "→ ",
  asked: "asks ",
  answer: "answers ",
  question: "◆ ",
};

function rowText(_: Screen, row: StoryRow | undefined, width: number): readonly string[] {
  if (!row) return [];
  const all = wrap(`${row.who}: ${SIGNS[row.kind]}${oneLine(row.text)}`, width);
  return all.length > MAX_LINES ? [...all.slice(0, MAX_LINES - 1), "…"] : all;
}
