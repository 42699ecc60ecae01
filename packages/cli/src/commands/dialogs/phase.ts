import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { library, withProject } from "../../dialogs/session.ts";

export const phase = defineCommand({
  words: ["DIALOG", "PHASE"],
  options: {
    summary: {
      takes: "TEXT",
      about: {
        en: "what the agents must know to continue; each reads it before it next speaks",
        zh: "智能体继续工作须知道的内容；各自在下次发言前读到",
      },
    },
    why: { takes: "TEXT", about: { en: "the reason, for other readers", zh: "理由，供其他人阅读" } },
  },
  about: {
    en:
      "Sets the phase of a dialog: chat, brainstorm, plan, execute, verification, chores or reflection. Not every phase may follow every " +
      "other; a refusal names those that may. The same phase again with --summary is a hand-off.",
    zh: "设定对话的阶段：chat（交谈）、brainstorm（构思）、plan（计划）、execute（执行）、verification（验证）、chores（杂务）或 reflection（回顾）。不是每个阶段都能接在任意阶段之后，被拒绝时会列出可用的阶段。阶段不变而带 --summary 即为交接。",
  },
  examples: [
    ["colloquy phase @ plan", ""],
    ['colloquy phase @ execute --summary "We take A; B was too slow"', { en: "and what was agreed", zh: "并写明商定的内容" }],
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
