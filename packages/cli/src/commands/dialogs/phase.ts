import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { library, withProject } from "../../dialogs/session.ts";

export const phase = defineCommand({
  words: ["DIALOG", "PHASE"],
  options: {
    summary: { takes: "TEXT", about: "what the agents must know to go on; each is shown it before it next speaks" },
    why: { takes: "TEXT", about: "the reason, for other readers" },
  },
  about:
    "Says what a dialog is at: chat, brainstorm, plan, execute, verification, chores or reflection. Not every phase may follow every " +
    "other; a refusal names those that may. The same phase again with --summary is a hand-off.",
  examples: [
    ["colloquy phase @ plan", ""],
    ['colloquy phase @ execute --summary "We take A; B was too slow"', "and what was agreed"],
  ],

  async run(call) {
    const { values, words } = call;
    const [typed = "", name = ""] = words;
    const { PHASES: known } = await library();
    const wanted = known.find((one) => one === name);
    if (wanted === undefined) throw wrongUsage(`There is no phase "${name}". Phases: ${known.join(", ")}.`);
    return withProject(call, async (project) => {
      const place = await findDialog(project, typed);
      const receipt = await project.phase(place, wanted, {
        ...(values.summary !== undefined && { summary: values.summary }),
        ...(values.why !== undefined && { why: values.why }),
      });
      const id = shortId(place.selfId);
      print(call, { ...place, ...receipt, phase: wanted }, () =>
        call.shell.out.isTerminal ? `${id}  The phase is ${wanted}.\n` : `${id}\tphase\t${wanted}\n`,
      );
      return ExitCode.done;
    });
  },
});
