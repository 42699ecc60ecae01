import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess, Receipt } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { type Failure, wrongUsage } from "../../line/failure.ts";
import { findDialog, type DialogAddress } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

export const remind = defineCommand({
  words: ["DIALOG", "[VERB]", "[TEXT…]"],
  options: {},
  about: {
    en:
      "The reminders of a dialog: its agent reads them in every course, even after clear-mind. VERB is add TEXT, update N TEXT or " +
      "delete N; without one the reminders are listed.",
    zh: "对话的提醒项：智能体在每一程都会读到，清空思路之后也一样。VERB 为 add TEXT、update N TEXT 或 delete N；不给则列出提醒项。",
  },
  examples: [
    ['colloquy remind @ add "Ids are UUIDs"', ""],
    ['colloquy remind @ update 1 "Ids are ULIDs"', ""],
    ["colloquy remind @ delete 1", ""],
    ["colloquy remind @", { en: "lists them", zh: "列出提醒项" }],
  ],

  async run(call) {
    const [typed = "", verb, ...rest] = call.words;
    const change = verb === undefined ? undefined : await changeFrom(verb, rest, call);
    return withProject(call, async (project) => {
      const place = await findDialog(project, typed);
      const receipt = await change?.(project, place);
      const { reminders } = await project.view(place);
      const { out } = call.shell;
      print(call, { ...place, ...receipt, reminders }, () =>
        reminders.length === 0 && out.isTerminal
          ? "There are no reminders.\n"
          : table(
              out,
              [
                { title: "", show: ({ id }) => String(id), right: true },
                { title: "", show: ({ content }) => content, shrinks: true },
              ],
              reminders,
            ),
      );
      return ExitCode.done;
    });
  },
});

type Change = (project: ProjectAccess, place: DialogAddress) => Promise<Receipt>;

/** Wrong usage is refused before standard input is read or the project is opened. */
async function changeFrom(verb: string, words: readonly string[], call: Call): Promise<Change> {
  if (verb === "add" && words.length > 0) {
    const text = await textFrom(words, call);
    return (project, place) => project.remind(place, text);
  }
  const [typed = "?", ...rest] = words;
  const number = Number(typed);
  if (!Number.isInteger(number)) throw usage();
  if (verb === "update" && rest.length > 0) {
    const text = await textFrom(rest, call);
    return (project, place) => project.changeReminder(place, number, text);
  }
  if (verb === "delete" && rest.length === 0) return (project, place) => project.changeReminder(place, number, undefined);
  throw usage();
}

const usage = (): Failure => wrongUsage("Usage: colloquy remind DIALOG [add TEXT | update N TEXT | delete N]");
