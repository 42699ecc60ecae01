import type { ProjectGrant } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { notFound, refused, wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { type Column, table } from "../../terminal/table.ts";
import { clock } from "../../terminal/time.ts";

export const grants = defineCommand({
  words: ["[revoke]", "[ID]"],
  options: {},
  about: {
    en: "Lists the project's standing approvals: calls that match one run without asking. grants revoke ID ends one.",
    zh: "列出项目的长期授权：符合的调用无须询问即可执行。grants revoke ID 收回一项。",
  },
  examples: [
    ["colloquy grants", ""],
    ["colloquy grants revoke 90aa17", { en: "from now on it asks again", zh: "此后会再次询问" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const [verb, typed] = call.words;
      if (verb === "revoke" && typed !== undefined) return revoke(call, project, typed);
      if (verb !== undefined) throw wrongUsage("Usage: colloquy grants, or colloquy grants revoke ID");
      const { shell } = call;
      const found = await project.grants();
      print(call, { grants: found }, () =>
        found.length === 0 && shell.out.isTerminal ? "Nothing was approved for more than once.\n" : listing(call, found),
      );
      return ExitCode.done;
    }),
});

function listing({ shell: { out, now } }: Call, found: readonly ProjectGrant[]): string {
  const columns: readonly Column<ProjectGrant>[] = [
    { title: "ID", show: ({ id }) => shortId(id) },
    { title: "CALLS LIKE", show: ({ pattern }) => pattern, shrinks: true },
    {
      title: "WHERE",
      show: ({ rootId, dialog }) => (dialog !== undefined ? shortId(dialog) : rootId !== undefined ? `tree ${shortId(rootId)}` : "project"),
    },
    { title: "BY", show: ({ by }) => (by === "owner" ? "you" : by), plain: ({ by }) => by },
    {
      title: "UNTIL",
      show: ({ until }) => (until === undefined ? "for good" : clock(new Date(until).toISOString(), now())),
      plain: ({ until }) => (until === undefined ? "" : new Date(until).toISOString()),
    },
  ];
  return table(out, columns, found);
}

async function revoke(call: Call, project: ProjectAccess, typed: string): Promise<ExitCode> {
  const digits = typed.toLowerCase();
  const fitting = (await project.grants()).filter(({ id }) => id.endsWith(digits) || id.startsWith(digits));
  const [grant, another] = fitting;
  if (!grant) throw notFound(`There is no grant "${typed}". colloquy grants lists them.`);
  if (another) throw refused("ambiguous", `"${typed}" fits ${fitting.length} grants: ${fitting.map(({ id }) => shortId(id)).join(", ")}`);
  await project.revokeGrant(grant.id);
  print(call, { revoked: grant.id }, () =>
    call.shell.out.isTerminal ? `Calls like ${grant.pattern} ask again.\n` : `${shortId(grant.id)}\trevoked\n`,
  );
  return ExitCode.done;
}
