import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Project, RootId } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { failureOf, refused } from "../../line/failure.ts";
import { findDialog, shortId } from "../../dialogs/ids.ts";
import { print } from "../../line/output.ts";
import { homePath } from "../../access/paths.ts";
import type { ServerAddress } from "../../access/server-address.ts";
import { livingServer } from "../../access/running-server.ts";
import { library, projectDir, withOwnProject, withProjectIn } from "../../dialogs/session.ts";
import { isSecretFile, trackedFiles } from "../../project/tracked-files.ts";
import { table } from "../../terminal/table.ts";
import { exactly } from "../../terminal/visible.ts";
import { judgeFolder } from "../../access/trust.ts";
import { trustsAll } from "../../access/trusted-folders.ts";

/** One thing that was looked at. A notice is worth knowing; a problem wants something done. */
interface Finding {
  readonly level: "well" | "notice" | "problem";
  readonly area: string;
  readonly text: string;
}

export const doctor = defineCommand({
  words: ["[DIALOG]"],
  options: { fix: { about: "mend what can be mended, and make the files for people again from the logs" } },
  about:
    "Looks after the project: settings, keys, MCP servers, the store, and every log (or one dialog's) from the first line to the last. " +
    "Exit code 0 when all is well, 1 when something is not.",
  examples: [
    ["colloquy doctor", "everything"],
    ["colloquy doctor 7f3a2c", "the log of one dialog"],
    ["colloquy doctor --fix", "and mend it; what has to be cut out of a log is kept beside it"],
  ],

  async run(call) {
    const dir = await projectDir(call);
    const server = await livingServer(dir, call.shell);
    if (server && call.values.fix)
      throw refused("locked", `A server works on this project, at ${server.url}. Stop it first: what is mended must not be in use.`);
    const findings = [
      nodeFinding(),
      well("project", homePath(dir, call.shell.env)),
      ...(await settingsFindings(dir, call)),
      ...(await commandFindings(dir)),
      ...secretFindings(dir),
      ...(await trustFindings(dir, call)),
      ...(await mcpFindings(dir, call)),
      ...(server ? await serverFindings(server) : await storeFindings(dir, call)),
    ];
    const isWell = findings.every(({ level }) => level !== "problem");
    print(call, { isWell, findings }, () => drawn(call, findings));
    return isWell ? ExitCode.done : ExitCode.refused;
  },
});

const well = (area: string, text: string): Finding => ({ level: "well", area, text });
const notice = (area: string, text: string): Finding => ({ level: "notice", area, text });
const problem = (area: string, text: string): Finding => ({ level: "problem", area, text });

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

const nodeFinding = (): Finding => well("node", process.versions.node);

/** Without a sandbox every command of an agent asks a person first: worth knowing, and no fault. */
async function commandFindings(dir: string): Promise<readonly Finding[]> {
  const { sandbox, networkProblem } = await (await library()).describeCommands(dir);
  if (!sandbox.isIsolated) return [notice("commands", sandbox.message)];
  const { name, lacks } = sandbox.sandbox;
  const isolation =
    lacks.length === 0
      ? well("commands", `isolated by ${name}`)
      : notice("commands", `isolated by ${name}, without ${lacks.join(" and ")}. See docs/SECURITY.md.`);
  return [isolation, ...(networkProblem === undefined ? [] : [problem("commands", `No command is run: ${networkProblem}`)])];
}

/** Missing keys are worth knowing; whether they are needed shows when an agent is called. */
async function settingsFindings(dir: string, { shell }: Call): Promise<readonly Finding[]> {
  const { CONFIG_FILE, describeModels, describeTeam } = await library();
  try {
    const team = await describeTeam(dir);
    const { models } = await describeModels(dir, shell.env);
    const without = team
      .filter((agent) => agent.model === undefined)
      .map((agent) => problem("models", `${agent.id} has no model. Set defaults.model in colloquy.yaml.`));
    const lacking = models.flatMap((model) =>
      model.problem === undefined ? [] : [(model.usedBy.length > 0 ? problem : notice)("models", `${model.name}: ${model.problem}`)],
    );
    const settings =
      team.length > 0
        ? well("settings", `${team.length} in the team: ${team.map((agent) => agent.id).join(", ")}`)
        : existsSync(join(dir, CONFIG_FILE))
          ? problem("settings", "Nobody is in the team. Add an agent to colloquy.yaml.")
          : notice("settings", "There is no colloquy.yaml: the team is in a program's code, which drives it.");
    return [
      settings,
      ...(without.length + lacking.length > 0
        ? [...without, ...lacking]
        : [well("models", models.length > 0 ? `${models.map((model) => model.name).join(", ")}: nothing is missing` : "none is named")]),
    ];
  } catch (error) {
    return failureOf(error)
      .message.split("\n")
      .map((line) => problem("settings", line));
  }
}

/** Keys that git keeps are keys that everybody with the repository has. */
function secretFindings(dir: string): readonly Finding[] {
  const tracked = trackedFiles(dir).filter(isSecretFile);
  if (tracked.length === 0) return [];
  const names = tracked.slice(0, 5).join(", ");
  const more = tracked.length > 5 ? ` and ${tracked.length - 5} more` : "";
  const message = `git tracks ${names}${more}: everybody with the repository has what is in it. Take it out: git rm --cached ${tracked[0]}, add it to .gitignore, and replace the keys.`;
  return [problem("keys", exactly(message))];
}

/** What the folder would run and send, and whether the person has said yes to it. */
async function trustFindings(dir: string, { shell }: Call): Promise<readonly Finding[]> {
  const judged = await judgedOr(dir, shell);
  if (!judged) return [];
  const { reach, isTrusted, since } = judged;
  const things = reach.map(({ what, where }) => `${what} (${where})`).join("; ");
  if (reach.length === 0) return [well("trust", "this folder runs nothing and sends nothing")];
  if (isTrusted) return [well("trust", `trusted since ${since ?? "the beginning"}: it ${things}`)];
  if (trustsAll(shell.env)) return [well("trust", `trusted by COLLOQUY_TRUST: it ${things}`)];
  return [problem("trust", `This folder is not trusted. It ${things}. If you trust it: colloquy trust ${homePath(dir, shell.env)}`)];
}

const judgedOr = (dir: string, shell: Call["shell"]) =>
  judgeFolder(dir, shell).catch((error: unknown) => {
    if (failureOf(error).code !== "bad_config") throw error;
    return undefined; // Broken settings have been named already.
  });

/** Each MCP server is started, asked for its tools and ended again; not before the folder is trusted. */
async function mcpFindings(dir: string, { shell }: Call): Promise<readonly Finding[]> {
  const { describeServers } = await library();
  if (!trustsAll(shell.env) && !(await judgedOr(dir, shell))?.isTrusted) return [];
  const servers = await describeServers(dir, shell.env).catch((error: unknown) => {
    if (failureOf(error).code !== "bad_config") throw error;
    return []; // Broken settings have been named already.
  });
  return servers.flatMap(({ name, why, tools, usedBy, projectCode }) => {
    const unguarded = projectCode.length > 0 ? [notice("mcp", unguardedText(name, projectCode))] : [];
    if (why !== undefined) return [(usedBy.length > 0 ? problem : notice)("mcp", `${name} cannot be had. ${why}`), ...unguarded];
    const users = usedBy.length > 0 ? `for ${usedBy.join(", ")}` : "named by nobody";
    return [well("mcp", `${name}: ${counted(tools.length, "tool")}, ${users}: ${tools.join(", ")}`), ...unguarded];
  });
}

const unguardedText = (name: string, files: readonly string[]): string =>
  `${name} runs code of this project outside of the sandbox (${files.join(", ")}). Agents cannot change these files, but can change what they import: set mcp.servers.${name}.sandbox to true.`;

/** Whoever holds the store says how it stands; its logs are read when nobody writes. */
async function serverFindings(server: ServerAddress): Promise<readonly Finding[]> {
  const { Api } = await import("@colloquy/client");
  const { status, why } = await new Api(server).health();
  return [
    status === "ok" ? well("server", `works on it, at ${server.url}`) : problem("server", why ?? `It is ${status}.`),
    notice("logs", "not looked at while the server writes them: stop it, then colloquy doctor"),
  ];
}

async function storeFindings(dir: string, call: Call): Promise<readonly Finding[]> {
  try {
    const rootId = await named(dir, call);
    return [...(await logFindings(dir, call, rootId)), ...(await projectFindings(dir, call, rootId))];
  } catch (error) {
    const failure = failureOf(error);
    if (failure.exitCode === ExitCode.notFound || failure.code === "ambiguous") throw failure;
    // Broken settings have been named already.
    return failure.code === "bad_config" ? [] : [problem("store", failure.message)];
  }
}

const named = async (dir: string, call: Call): Promise<RootId | undefined> => {
  const [typed] = call.words;
  return typed === undefined ? undefined : withProjectIn(dir, call, async (project) => (await findDialog(project, typed)).rootId, "none");
};

/** Every line of the logs; with `--fix` what can be mended is mended first. */
async function logFindings(dir: string, { values }: Call, rootId: RootId | undefined): Promise<readonly Finding[]> {
  const { inspectProject, repairProject } = await library();
  const mended = values.fix ? await repairProject(dir, rootId) : [];
  const problems = await inspectProject(dir, rootId);
  const worthKnowing = ["noticed", "leftover"];
  return [
    ...mended.map((text) => notice("mended", text)),
    ...problems.map(({ kind, message }) => (worthKnowing.includes(kind) ? notice : problem)("logs", message)),
    ...(problems.length === 0
      ? [well("logs", `${rootId === undefined ? "all" : shortId(rootId)} read from the first line to the last`)]
      : []),
  ];
}

/** The project as it works: its store, what was left in the middle, and with `--fix` its files for people. */
const projectFindings = (dir: string, call: Call, only: RootId | undefined): Promise<readonly Finding[]> =>
  withOwnProject(
    dir,
    call,
    async (project) => {
      const entries = project.dialogs.list();
      const rewritten = call.values.fix ? await rewrite(project, only === undefined ? entries.map(({ rootId }) => rootId) : [only]) : [];
      const { pos, refusing } = project.health();
      const left = entries.filter(({ hot, rootId }) => hot && (only === undefined || only === rootId));
      return [
        refusing === undefined
          ? well("store", `${counted(entries.length, "dialog")}, ${counted(pos, "commit")}`)
          : problem("store", refusing),
        ...rewritten,
        ...project.costNotices().map((text) => notice("settings", text)),
        ...left.map(({ rootId, title }) =>
          notice(
            "dialogs",
            `${shortId(rootId)} "${title}" was left in the middle of something. Resume: colloquy resume ${shortId(rootId)}`,
          ),
        ),
      ];
    },
    "none",
  );

async function rewrite(project: Project, rootIds: readonly RootId[]): Promise<readonly Finding[]> {
  let written = 0;
  for (const rootId of rootIds) {
    // One that cannot be read has been named among the logs.
    await project.rewriteFiles(rootId).then(
      () => written++,
      () => undefined,
    );
  }
  return [well("files", `dialog.yaml, latest.yaml and the like are written again for ${counted(written, "dialog")}`)];
}

function drawn({ shell: { out } }: Call, findings: readonly Finding[]): string {
  const marks = { well: out.colours.green("✓"), notice: out.colours.yellow("!"), problem: out.colours.red("✕") };
  if (!out.isTerminal) {
    const columns = [
      { title: "", show: (finding: Finding) => finding.level },
      { title: "", show: (finding: Finding) => finding.area },
      { title: "", show: (finding: Finding) => finding.text },
    ];
    return table(out, columns, findings);
  }
  const width = Math.max(...findings.map(({ area }) => area.length));
  const isWell = findings.every(({ level }) => level !== "problem");
  const lines = findings.map(({ level, area, text }) => `${marks[level]} ${area.padEnd(width)}  ${text}`);
  return `${[...lines, isWell ? "All is well." : "Something wants doing; see ✕."].join("\n")}\n`;
}
