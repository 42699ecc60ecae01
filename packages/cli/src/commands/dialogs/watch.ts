import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { tell } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";

export const watch = defineCommand({
  words: [],
  options: {},
  about:
    "Everything, live: all trees on the left, on the right the question of the one that is selected. Answer with its number, twice; ? " +
    "lists the keys. Whatever was left in the middle is taken up and driven as long as this is open. A key answers only what has stood " +
    "on the screen, whole and unchanged, for a moment.",
  examples: [["colloquy watch", "q leaves; nothing is lost"]],

  async run(call) {
    const { shell, json } = call;
    if (!shell.canAsk || json)
      throw wrongUsage("watch needs a terminal. In a pipe: colloquy ls, colloquy questions, colloquy log --follow");
    let notice = (_text: string): void => undefined;
    // What the engine has to say belongs on the screen that we draw, not through it.
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
          // There is a person: that was looked at already.
          interactive: true,
          alternateScreen: true,
          incrementalRendering: true,
          patchConsole: false,
        });
        await app.waitUntilExit();
        stage.close();
        // A server needs nobody who looks on.
        return stage.isAtWork() && !project.isServed;
      },
      "all",
    );
    if (isAtWork) tell(call, "Left in the middle. Nothing was lost. Continue: colloquy resume --all, or colloquy watch");
    return ExitCode.done;
  },
});
