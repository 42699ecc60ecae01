import { defineCommand } from "../../line/command.ts";
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
  about:
    "The reminders of a dialog: what its agent is told in every course, also with a clear mind. VERB is add TEXT, update N TEXT or " +
    "delete N; without one the reminders are listed.",
  examples: [
    ['colloquy remind @ add "Ids are UUIDs"', ""],
    ['colloquy remind @ update 1 "Ids are ULIDs"', ""],
    ["colloquy remind @ delete 1", ""],
    ["colloquy remind @", "lists them"],
  ],

  async run(call) {
    const [typed = "", verb, ...rest] = call.words;
    if (verb !== undefined && !isKnown(verb, rest)) throw usage();
    const text = verb === "add" ? await textFrom(rest, call) : verb === "update" ? await textFrom(rest.slice(1), call) : "";
    return withProject(call, async (project) => {
      const place = await findDialog(project, typed);
      const receipt = verb === undefined ? undefined : await change(project, place, verb, rest, text);
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

/** Before standard input is read or the project is opened. */
function isKnown(verb: string, rest: readonly string[]): boolean {
  if (verb === "add") return rest.length > 0;
  if (!Number.isInteger(Number(rest[0] ?? "?"))) return false;
  return verb === "update" ? rest.length > 1 : verb === "delete" && rest.length === 1;
}

async function change(project: ProjectAccess, place: DialogAddress, verb: string, rest: readonly string[], text: string): Promise<Receipt> {
  if (verb === "add") return project.remind(place, text);
  const number = Number(rest[0]);
  return project.changeReminder(place, number, verb === "update" ? text : undefined);
}

const usage = (): Failure => wrongUsage("Usage: colloquy remind DIALOG [add TEXT | update N TEXT | delete N]");
