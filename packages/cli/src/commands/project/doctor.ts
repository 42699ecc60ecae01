import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "@colloquy/client";
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
import { judgeFolder, trustGate } from "../../access/trust.ts";
import { trustsAll } from "../../access/trusted-folders.ts";

/** One check. A notice is information; a problem needs action. */
interface Finding {
  readonly level: "well" | "notice" | "problem";
  readonly area: string;
  readonly text: string;
}

export const doctor = defineCommand({
  words: ["[DIALOG]"],
  options: {
    fix: {
      about: {
        en: "repair what can be repaired, and rewrite the readable files from the logs",
        zh: "修复能修复的内容，并根据日志重写可读文件",
      },
    },
  },
  about: {
    en:
      "Checks the project: settings, keys, MCP servers, the store, and every log (or one dialog's) from the first line to the last. " +
      "Exit code 0 if all is well, 1 if there is a problem.",
    zh: "检查项目：设置、密钥、MCP 服务器、存储，以及每份日志（或某个对话的日志）的每一行。一切正常则退出码为 0，有问题则为 1。",
  },
  examples: [
    ["colloquy doctor", { en: "everything", zh: "检查全部" }],
    ["colloquy doctor 7f3a2c", { en: "the log of one dialog", zh: "检查一个对话的日志" }],
    [
      "colloquy doctor --fix",
      { en: "and repair it; removed parts of a log are kept beside it", zh: "同时修复；须从日志中剪除的内容保留在它旁边" },
    ],
  ],

  async run(call) {
    const dir = await projectDir(call);
    const server = await livingServer(dir, call.shell);
    if (server && call.values.fix)
      throw refused("locked", `A server works on this project, at ${server.url}. Stop it first: a repair needs the project closed.`);
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

/** Without a sandbox every command of an agent asks a person first: a notice, not a problem. */
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

/** Missing keys are a notice; whether they are needed shows when an agent runs. */
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

/** Keys in git are keys that everybody with the repository has. */
function secretFindings(dir: string): readonly Finding[] {
  const tracked = trackedFiles(dir).filter(isSecretFile);
  if (tracked.length === 0) return [];
  const names = tracked.slice(0, 5).join(", ");
  const more = tracked.length > 5 ? ` and ${tracked.length - 5} more` : "";
  const message = `git tracks ${names}${more}: everybody with the repository has what is in it. Take it out: git rm --cached ${tracked[0]}, add it to .gitignore, and replace the keys.`;
  return [problem("keys", exactly(message))];
}

/** What the folder would run and send, and whether the person trusts it. */
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
    return undefined; // Broken settings have already been reported.
  });

/** Starts each MCP server, lists its tools and stops it; only if the folder is trusted. */
async function mcpFindings(dir: string, { shell }: Call): Promise<readonly Finding[]> {
  const { describeServers } = await library();
  if (!trustsAll(shell.env) && !(await judgedOr(dir, shell))?.isTrusted) return [];
  const servers = await describeServers(dir, shell.env).catch((error: unknown) => {
    if (failureOf(error).code !== "bad_config") throw error;
    return []; // Broken settings have already been reported.
  });
  return servers.flatMap(({ name, why, tools, usedBy, projectCode }) => {
    const unguarded = projectCode.length > 0 ? [notice("mcp", unguardedText(name, projectCode))] : [];
    if (why !== undefined) return [(usedBy.length > 0 ? problem : notice)("mcp", `${name} is not available. ${why}`), ...unguarded];
    const users = usedBy.length > 0 ? `for ${usedBy.join(", ")}` : "named by nobody";
    return [well("mcp", `${name}: ${counted(tools.length, "tool")}, ${users}: ${tools.join(", ")}`), ...unguarded];
  });
}

const unguardedText = (name: string, files: readonly string[]): string =>
  `${name} runs code of this project outside of the sandbox (${files.join(", ")}). Agents cannot change these files, but can change what they import: set mcp.servers.${name}.sandbox to true.`;

/** The process that holds the store reports its health; logs are read only when nobody writes. */
async function serverFindings(server: ServerAddress): Promise<readonly Finding[]> {
  const { Api } = await import("@colloquy/client");
  const api = new Api(server);
  const { status, why, checked, findings = [] } = await api.health();
  // Broken settings have already been reported.
  const { traces } = (await api.settings().catch(() => undefined)) ?? {};
  return [
    status === "ok" ? well("server", `works on it, at ${server.url}`) : problem("server", why ?? `It is ${status}.`),
    ...(traces ? [traceFinding(traces)] : []),
    ...findings.map((text) => problem("logs", text)),
    notice("logs", `${counted(checked.trees, "dialog")} checked by the server so far. For every file: stop it, then colloquy doctor`),
  ];
}

function traceFinding({ sentSpans, behind, failing }: NonNullable<Settings["traces"]>): Finding {
  const sending = `${counted(sentSpans, "span")} sent since the server started, ${counted(behind, "commit")} behind`;
  if (failing === undefined) return well("traces", sending);
  return problem("traces", `They cannot be sent: ${failing}. They are kept in the log and sent when the collector answers. ${sending}.`);
}

async function storeFindings(dir: string, call: Call): Promise<readonly Finding[]> {
  try {
    const rootId = await named(dir, call);
    // A database checks its own files; opening the project reads its index.
    const { storeUrl } = await library();
    const isInFolder = ["", "file:"].includes(await storeUrl(dir, call.shell.env, { trust: trustGate(dir, call.shell) }));
    const logs = !isInFolder ? [] : await logFindings(dir, call, rootId);
    return [...logs, ...(await projectFindings(dir, call, rootId))];
  } catch (error) {
    const failure = failureOf(error);
    if (failure.exitCode === ExitCode.notFound || failure.code === "ambiguous") throw failure;
    // Broken settings have already been reported.
    return failure.code === "bad_config" ? [] : [problem("store", failure.message)];
  }
}

const named = async (dir: string, call: Call): Promise<RootId | undefined> => {
  const [typed] = call.words;
  return typed === undefined ? undefined : withProjectIn(dir, call, async (project) => (await findDialog(project, typed)).rootId, "none");
};

/** Checks every line of the logs; `--fix` first repairs what it can. */
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

/** The open project: its store, interrupted work, and with `--fix` its files for people. */
const projectFindings = (dir: string, call: Call, only: RootId | undefined): Promise<readonly Finding[]> =>
  withOwnProject(
    dir,
    call,
    async (project) => {
      const entries = project.dialogs.list();
      const rewritten = call.values.fix ? await rewrite(project, only === undefined ? entries.map(({ rootId }) => rootId) : [only]) : [];
      const { kind, pos, nodes = 1, refusing } = project.health();
      const shared = kind === "file" ? "" : nodes > 1 ? `${kind}, ${nodes} nodes with this one: ` : `${kind}: `;
      // A database has no files to inspect: its logs are folded here.
      const { findings } = kind === "file" ? { findings: [] } : await project.checkHealth();
      const left = entries.filter(({ hot, rootId }) => hot && (only === undefined || only === rootId));
      return [
        refusing === undefined
          ? well("store", `${shared}${counted(entries.length, "dialog")}, ${counted(pos, "commit")}`)
          : problem("store", refusing),
        ...findings.map((text) => problem("logs", text)),
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
    // An unreadable dialog was reported with the logs.
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
