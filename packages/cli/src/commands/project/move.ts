import { demandTrust } from "../../access/trust.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { library, projectDir } from "../../dialogs/session.ts";

export const move = defineCommand({
  words: [],
  options: {
    to: {
      takes: "URL",
      about: {
        en: "postgres://…?project=NAME, or file:DIR (file:. is this folder)",
        zh: "postgres://…?project=NAME，或 file:DIR（file:. 即此文件夹）",
      },
    },
  },
  about: {
    en:
      "Moves the project's log from its folder to a database, or back: every commit with its number, and every stored file. The copy is compared before it " +
      "takes effect. Refused while anything is running. The original stays as a copy.",
    zh: "把项目的日志从文件夹移到数据库，或移回：每次提交连同其编号，以及所有保存的文件。副本经过比对才会生效。有工作在进行时会被拒绝。原件作为副本保留。",
  },
  examples: [
    ["colloquy move --to postgres://anna@db/work?project=shop", { en: "into PostgreSQL", zh: "移到 PostgreSQL" }],
    ["colloquy --store postgres://anna@db/work?project=shop move --to file:.", { en: "back into this folder", zh: "移回此文件夹" }],
  ],

  async run(call) {
    const { to } = call.values;
    if (to === undefined) throw wrongUsage("move needs --to postgres://…?project=NAME or --to file:DIR.");
    const { isStoreInSettings, moveProject } = await library();
    const dir = await projectDir(call);
    if (await isStoreInSettings(dir, call.shell.env)) await demandTrust(dir, call);
    const moved = await moveProject(dir, call.shell.env, to);
    const isNamed = await isStoreInSettings(dir, { ...call.shell.env, COLLOQUY_STORE: undefined });
    const kept =
      moved.aside === undefined
        ? `The database keeps its copy.${isNamed ? " Take store out of colloquy.yaml." : ""}`
        : `The folder's own log is kept in ${moved.aside}.${isNamed ? "" : " Name the database from now on: store in colloquy.yaml, --store or COLLOQUY_STORE."}`;
    print(call, moved, () => `Moved ${moved.trees} dialogs in ${moved.commits} commits. ${kept}\n`);
    return ExitCode.done;
  },
});
