import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { notFound, wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";

export const notices = defineCommand({
  words: ["[dismiss]", "[ID|all]"],
  options: {},
  about: {
    en: "Lists what agents did without asking, because notifying you was enough. notices dismiss ID dismisses one, notices dismiss all dismisses all.",
    zh: "列出智能体未经询问、只须知会你就做了的事。notices dismiss ID 标为已读，notices dismiss all 全部标为已读。",
  },
  examples: [
    ["colloquy notices", ""],
    ["colloquy notices dismiss all", { en: "they have been read", zh: "都已读过" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const [verb, typed] = call.words;
      const open = await project.openNotices();
      if (verb === undefined) {
        print(call, { notices: open }, () =>
          open.length === 0 && call.shell.out.isTerminal
            ? "No notices.\n"
            : open
                .map(
                  (one) =>
                    `${shortId(one.id)}  i ${one.notice?.headline ?? ""}  ${one.notice?.agentId ?? ""}\n${indented(one.notice?.text ?? "")}`,
                )
                .join(""),
        );
        return ExitCode.done;
      }
      if (verb !== "dismiss" || typed === undefined) throw wrongUsage("Usage: colloquy notices, or colloquy notices dismiss ID|all");
      const meant = open.filter(({ id }) => typed === "all" || id.endsWith(typed.toLowerCase()));
      if (meant.length === 0 && typed !== "all") throw notFound(`There is no notice "${typed}". colloquy notices lists them.`);
      for (const { id } of meant) await project.dismissNotice(id);
      print(call, { dismissed: meant.map(({ id }) => id) }, () => `${meant.length} marked as read.\n`);
      return ExitCode.done;
    }),
});

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `          ${line}`.trimEnd())
    .join("\n") + "\n";
