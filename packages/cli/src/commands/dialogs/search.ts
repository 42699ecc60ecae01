import type { SearchHit } from "@colloquy/schema";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { ago } from "../../terminal/time.ts";
import { oneLine } from "../../terminal/visible.ts";

export const search = defineCommand({
  words: ["TEXT…"],
  options: { limit: { takes: "N", about: { en: "the newest N results (default 20)", zh: "最新的 N 条结果（默认 20）" } } },
  about: {
    en: "Finds words in the titles and texts of all dialogs, newest first; a match has all of them. Chinese matches by any part.",
    zh: "在所有对话的标题和正文中查找，最新的在前；命中的须包含所有词。中文按任意片段匹配。",
  },
  examples: [
    ["colloquy search soft delete", ""],
    ["colloquy search 数据库", ""],
  ],

  async run(call) {
    const { words, values } = call;
    const limit = Number(values.limit ?? 20);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
      throw wrongUsage(`--limit takes a number from 1 to 1000, not "${values.limit}".`);
    return withProject(call, async (project) => {
      const hits = await project.search(words.join(" "), limit);
      print(call, { hits }, () => listing(call, hits));
      return ExitCode.done;
    });
  },
});

function listing({ shell: { out, now } }: Call, hits: readonly SearchHit[]): string {
  if (!out.isTerminal)
    return hits.map(({ selfId, seq, at, by, snippet }) => `${[selfId, seq ?? "", at, by, plain(snippet)].join("\t")}\n`).join("");
  if (hits.length === 0) return "Nothing was found.\n";
  const { bold, dim } = out.colours;
  return hits
    .map(({ selfId, title, at, by, snippet }) => {
      const marked = oneLine(snippet).replaceAll(/⟦(.*?)⟧/g, (_, found: string) => bold(found));
      return `${shortId(selfId)}  ${bold(oneLine(title))}  ${dim(`${by} · ${ago(at, now())}`)}\n        ${marked}\n`;
    })
    .join("");
}

const plain = (snippet: string): string => oneLine(snippet).replaceAll(/[⟦⟧]/g, "");
