import type { TreeNode } from "@colloquy/library";
import { askHistory } from "../../dialogs/ask-history.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { field } from "../../terminal/table.ts";
import { endText, treeText } from "../../terminal/tree-picture.ts";

export const tree = defineCommand({
  words: ["DIALOG"],
  options: { all: { about: { en: "also everyone who has answered, however many", zh: "也列出所有已答复的，不论多少" } } },
  about: {
    en:
      "Shows the main dialog that DIALOG belongs to with all its side dialogs and open questions: who waits for whom, and in the last " +
      "line what everything waits for. In a pipe one per line: depth, id, kind, agent, title, state, who it waits for.",
    zh: "显示 DIALOG 所属的主对话，连同所有子对话和未答的提问：谁在等谁；最后一行说明一切在等什么。在管道中每行一个：层级、id、种类、智能体、标题、状态、在等谁。",
  },
  examples: [
    ["colloquy tree @", { en: "why does nothing move?", zh: "为什么没有进展？" }],
    ["colloquy tree 7f3a2c --json", { en: "for a program", zh: "供程序使用" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const { rootId } = await findDialog(project, call.words[0] ?? "");
      const node = await project.tree(rootId);
      const { out } = call.shell;
      const asks = out.isTerminal ? askHistory(await project.events(rootId)) : [];
      const isDriven = project.isServed;
      const picture = { node, asks, isDriven, nowMs: call.shell.now(), all: call.values.all ?? false };
      print(call, { tree: node, waitsFor: endText(picture) }, () =>
        out.isTerminal ? treeText(out, picture) : linesOf(node, 0, isDriven).join(""),
      );
      return ExitCode.done;
    }),
});

const linesOf = (node: TreeNode, depth: number, isDriven: boolean): readonly string[] => [
  line([
    String(depth),
    shortId(node.selfId),
    "dialog",
    node.agentId,
    node.title,
    node.state === "working" && !isDriven ? "interrupted" : node.state,
    node.waitsFor.join(","),
  ]),
  ...node.questions.map(({ id, kind, headline }) => line([String(depth + 1), shortId(id), kind, node.agentId, headline, "open", "person"])),
  ...node.children.flatMap((child) => linesOf(child, depth + 1, isDriven)),
];

const line = (fields: readonly string[]): string => `${fields.map(field).join("\t")}\n`;
