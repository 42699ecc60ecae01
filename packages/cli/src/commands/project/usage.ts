import type { UsageBy, UsageRow } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { costText, countText } from "../../dialogs/money.ts";
import { print, tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { type Column, table } from "../../terminal/table.ts";

const KEYS: readonly UsageBy[] = ["agent", "day", "dialog"];

export const usage = defineCommand({
  words: [],
  options: { by: { takes: "KEY", about: { en: "agent (default), day or dialog", zh: "agent（默认）、day 或 dialog" } } },
  about: {
    en:
      "Tokens and costs, from the logs of all dialogs. CACHED are the input tokens that came from a " +
      "provider's cache, and their share. – means no known price; a sum with + – is incomplete. ~ marks estimated tokens.",
    zh: "词元和费用，取自所有对话的日志。CACHED 是来自服务商缓存的输入词元及其占比。– 表示没有已知的价格，带 + – 的合计不完整。~ 表示词元数为估计。",
  },
  examples: [
    ["colloquy usage", { en: "by agent", zh: "按智能体" }],
    ["colloquy usage --by day", ""],
    ["colloquy usage --by dialog --json", { en: "for a program", zh: "供程序使用" }],
  ],

  async run(call) {
    const by = KEYS.find((key) => key === (call.values.by ?? "agent"));
    if (by === undefined) throw wrongUsage(`--by takes ${KEYS.join(", ")}, not "${call.values.by}".`);
    return withProject(call, async (project) => {
      const { rows, unread } = await project.usage(by);
      const sorted = rows.toSorted(
        by === "day" ? (a, b) => (a.key < b.key ? -1 : 1) : (a, b) => (b.cost ?? 0) - (a.cost ?? 0) || tokensOf(b) - tokensOf(a),
      );
      const titles = new Map(by === "dialog" ? (await project.dialogs()).map(({ rootId, title }) => [rootId as string, title]) : []);
      print(call, { by, rows: sorted, total: sumOf(sorted) }, () => listing(call, titles, by, sorted));
      for (const rootId of unread)
        tell(call, `The log of ${shortId(rootId)} cannot be read and is left out: colloquy doctor ${shortId(rootId)}`);
      return ExitCode.done;
    });
  },
});

const tokensOf = ({ input, output }: UsageRow): number => input + output;

function sumOf(rows: readonly UsageRow[]): UsageRow {
  const sum = (number: (row: UsageRow) => number) => rows.reduce((total, row) => total + number(row), 0);
  const isPriced = rows.some(({ cost }) => cost !== undefined);
  return {
    key: "all",
    steps: sum((row) => row.steps),
    input: sum((row) => row.input),
    output: sum((row) => row.output),
    cachedInput: sum((row) => row.cachedInput),
    ...(isPriced && { cost: sum((row) => row.cost ?? 0) }),
    unpriced: sum((row) => row.unpriced),
    estimated: sum((row) => row.estimated),
  };
}

function listing({ shell: { out } }: Call, titles: ReadonlyMap<string, string>, by: UsageBy, rows: readonly UsageRow[]): string {
  if (rows.length === 0) return out.isTerminal ? "Nothing was used yet.\n" : "";
  const count = (number: (row: UsageRow) => number) => ({
    show: (row: UsageRow) => `${row.estimated > 0 && number(row) > 0 ? "~" : ""}${countText(number(row))}`,
    plain: (row: UsageRow) => String(number(row)),
    right: true,
  });
  const number = count((row) => row.cachedInput);
  const cached = { ...number, show: (row: UsageRow) => `${number.show(row)}${shareText(row)}` };
  const name = ({ key }: UsageRow) => (by === "dialog" && key !== "all" ? shortId(key) : key);
  const title = ({ key }: UsageRow) => titles.get(key) ?? "";
  const columns: readonly Column<UsageRow>[] = [
    { title: by === "dialog" ? "ID" : by.toUpperCase(), show: name },
    ...(by === "dialog" ? [{ title: "TITLE", show: title, shrinks: true }] : []),
    { title: "STEPS", show: ({ steps }) => String(steps), right: true },
    { title: "READ", ...count((row) => row.input) },
    { title: "CACHED", ...cached },
    { title: "WRITTEN", ...count((row) => row.output) },
    { title: "COST", show: moneyText, plain: ({ cost }) => (cost === undefined ? "–" : String(cost)), right: true },
  ];
  // A program computes totals itself.
  return table(out, columns, out.isTerminal && rows.length > 1 ? [...rows, sumOf(rows)] : rows);
}

/** The share of the input that a provider's cache held. */
const shareText = ({ cachedInput, input }: UsageRow): string =>
  cachedInput > 0 && input > 0 ? ` (${Math.round((100 * cachedInput) / input)}%)` : "";

const moneyText = ({ cost, unpriced }: UsageRow): string => (cost !== undefined && unpriced > 0 ? `${costText(cost)} + –` : costText(cost));
