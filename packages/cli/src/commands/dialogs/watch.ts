import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";

export const watch = defineCommand({
  words: [],
  options: {},
  about: {
    en:
      "Everything, live: all trees on the left, the selected tree's question on the right. Answer with its number, twice; ? " +
      "lists the keys. Unfinished work resumes while this is open. A key answers only a question that has been " +
      "on the screen, whole and unchanged, for a moment.",
    zh: "实时显示一切：左边是所有对话树，右边是选中的树的提问。按两次选项的序号即回答，? 列出按键。打开期间，未完成的工作会继续进行。提问须完整、不变地在屏幕上停留片刻，按键才会回答它。",
  },
  examples: [["colloquy watch", { en: "q leaves; nothing is lost", zh: "按 q 离开，什么都不会丢" }]],

  async run(call) {
    const { shell, json } = call;
    if (!shell.canAsk || json)
      throw wrongUsage("watch needs a terminal. In a pipe: colloquy ls, colloquy questions, colloquy log --follow");
    let notice = (_text: string): void => undefined;
    // The engine's messages belong on the screen that we draw, not across it.
    const quiet = { ...shell, err: { ...shell.err, write: (text: string) => notice(text) } };
    const isAtWork = await withProject(
      { ...call, shell: quiet },
      async (project) => {
        const [{ render }, { createElement }, { App }, { Stage }] = await Promise.all([
          import("ink"),
          import("react"),
          import("../../watch/app.ts"),
          import("../../watch/stage.ts"),
        ]);
        const stage = await Stage.open(project, shell.out);
        notice = (text) => stage.tell(text);
        shell.interrupts.signal.addEventListener("abort", () => stage.quit(), { once: true });
        const app = render(createElement(App, { stage, colours: shell.out.colours, project: project.name }), {
          exitOnCtrlC: false,
          // The check for a terminal has already passed.
          interactive: true,
          alternateScreen: true,
          incrementalRendering: true,
          patchConsole: false,
        });
        await app.waitUntilExit();
        stage.close();
        // A server doesn't need this process.
        return stage.isAtWork() && !project.isServed;
      },
      "all",
    );
    if (isAtWork) tell(call, "Left in the middle. Nothing was lost. Continue: colloquy resume --all, or colloquy watch");
    return ExitCode.done;
  },
});
