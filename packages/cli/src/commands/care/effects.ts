import { type EffectView, readDuration } from "@colloquy/schema";
import type { ProjectAccess } from "../../access/project-access.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { withProject } from "../../dialogs/session.ts";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { ago } from "../../terminal/time.ts";

const MAX_ROWS = 1_000;
const USAGE = "Usage: colloquy effects settle CALL done|failed [NOTE]";

export const effects = defineCommand({
  words: ["[settle]", "[DIALOG|CALL]", "[done|failed]", "[NOTE…]"],
  options: {
    since: { takes: "WHEN", about: { en: "a time, or how long ago: 2026-01-31, 3d, 12h", zh: "时间，或多久以前：2026-01-31、3d、12h" } },
    unknown: { about: { en: "only those whose outcome nobody knows", zh: "只列出结果未知的" } },
    limit: { takes: "N", about: { en: "the newest N (default 100)", zh: "最新的 N 条（默认 100）" } },
  },
  about: {
    en:
      "Lists everything the team has done to the world, newest first: each call with effects, who approved it, and how it ended: done, " +
      "failed, running or unknown. After a crash nobody knows whether an interrupted call took effect; look, then settle it: " +
      "effects settle CALL done or failed, with a note if you like. The agent is told. In a pipe: call, time, dialog, agent, " +
      "tool, outcome, approved by, what, changes, result.",
    zh: "列出团队对外界做过的一切，最新的在前：每个有实际影响的调用、由谁批准、结果如何：成功、失败、进行中或未知。崩溃之后，没有人知道被中断的调用是否生效；请查明后用 effects settle CALL done 或 failed 确定，可附备注，智能体会得到告知。在管道中：调用、时间、对话、智能体、工具、结果、批准者、内容、改动、输出。",
  },
  examples: [
    ["colloquy effects --since 7d", { en: "of the last week", zh: "最近一周的" }],
    ["colloquy effects 7f3a2c", { en: "of one dialog and its side dialogs", zh: "一个对话及其子对话的" }],
    ['colloquy effects settle 51c09e done "invoice 4711 is there"', { en: "it took effect", zh: "已经生效" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      if (call.words[0] === "settle") return settle(call, project);
      const [typed, extra] = call.words;
      if (extra !== undefined) throw wrongUsage(`Name at most one dialog. ${USAGE}`);
      const dialog = typed === undefined ? undefined : (await findDialog(project, typed)).selfId;
      const found = await read(project, { dialog, since: sinceOf(call), isUnknown: call.values.unknown ?? false }, limitOf(call));
      print(call, { effects: found }, () => listing(call, found));
      return ExitCode.done;
    }),
});

async function settle(call: Call, project: ProjectAccess): Promise<ExitCode> {
  const [, typed, as, ...note] = call.words;
  if (typed === undefined || (as !== "done" && as !== "failed")) throw wrongUsage(USAGE);
  const { seq } = await project.settle(typed.toLowerCase(), as, note.length > 0 ? note.join(" ") : undefined);
  print(call, { call: typed, as, seq }, () => `${typed}: ${as}.\n`);
  return ExitCode.done;
}

interface Wanted {
  readonly dialog: string | undefined;
  readonly since: string | undefined;
  readonly isUnknown: boolean;
}

/** Page by page. */
async function read(project: ProjectAccess, { dialog, since, isUnknown }: Wanted, limit: number): Promise<readonly EffectView[]> {
  const found: EffectView[] = [];
  for (let after: string | undefined; found.length < limit;) {
    const outcome = isUnknown ? ("unknown" as const) : undefined;
    const { items, next } = await project.effects({ dialog, since, outcome, after, limit: limit - found.length });
    found.push(...items);
    if (next === undefined) break;
    after = next;
  }
  return found;
}

function limitOf({ values }: Call & { readonly values: { readonly limit?: string | undefined } }): number {
  const limit = Number(values.limit ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ROWS)
    throw wrongUsage(`--limit takes a number from 1 to ${MAX_ROWS}, not "${values.limit}".`);
  return limit;
}

function sinceOf({ values, shell }: Call & { readonly values: { readonly since?: string | undefined } }): string | undefined {
  if (values.since === undefined) return undefined;
  const ms = readDuration(values.since);
  const at = ms === undefined ? Date.parse(values.since) : shell.now() - ms;
  if (Number.isNaN(at)) throw wrongUsage(`--since takes a time or how long ago, such as 2026-01-31, 3d or 12h, not "${values.since}".`);
  return new Date(at).toISOString();
}

const GLYPHS: Readonly<Record<EffectView["outcome"], string>> = { done: "✓", failed: "✕", unknown: "?", running: "…" };

/** Unknown outcomes stand out, by shape as well as by colour. */
function listing({ shell: { out, now } }: Pick<Call, "shell">, rows: readonly EffectView[]): string {
  if (rows.length === 0) return out.isTerminal ? "Nothing was done.\n" : "";
  const { bold, dim } = out.colours;
  const columns: readonly Column<EffectView>[] = [
    { title: "CALL", show: ({ call }) => shortId(call), plain: ({ call }) => call },
    { title: "WHEN", show: ({ at }) => ago(at, now()), plain: ({ at }) => at },
    { title: "DIALOG", show: ({ selfId }) => shortId(selfId), plain: ({ selfId }) => selfId },
    { title: "AGENT", show: ({ agentId }) => agentId },
    { title: "TOOL", show: ({ tool }) => tool },
    {
      title: "OUTCOME",
      show: (row) => `${GLYPHS[row.outcome]} ${row.undo?.state === "undone" ? "undone" : row.outcome}`,
      plain: ({ outcome }) => outcome,
      colour: ({ outcome }, text) => (outcome === "unknown" ? bold(text) : outcome === "done" ? dim(text) : text),
    },
    { title: "APPROVED BY", show: ({ approved }) => approved?.by ?? (approved?.grant === undefined ? "" : "grant") },
    { title: "WHAT", show: ({ what }) => what, shrinks: true },
    { title: "CHANGES", show: ({ changes }) => changes ?? "" },
    { title: "RESULT", show: ({ receipt }) => receipt ?? "", shrinks: true },
  ];
  return table(out, columns, rows);
}
