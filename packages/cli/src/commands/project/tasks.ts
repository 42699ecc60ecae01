import type { TaskAutonomy, TaskView } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { print, tell } from "../../line/output.ts";
import { rememberShown } from "../../dialogs/shown-questions.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { inboxText } from "../../terminal/question-card.ts";
import { type Column, table } from "../../terminal/table.ts";

const KINDS = ["feedback", "prd", "plan", "task"] as const;
const STATUSES = ["open", "blocked", "in_progress", "closed"] as const;

interface Given {
  readonly kind?: string;
  readonly status?: string;
  readonly key?: string;
  readonly after?: string;
  readonly about?: string;
  readonly title?: string;
  readonly why?: string;
}

export const tasks = defineCommand({
  words: ["[VERB]", "[TASK]"],
  options: {
    kind: { takes: "KIND", about: { en: "feedback, prd, plan or task (default)", zh: "feedback、prd、plan 或 task（默认）" } },
    status: {
      takes: "STATUS",
      about: { en: "with ls: open, blocked, in_progress or closed", zh: "与 ls 合用：open、blocked、in_progress 或 closed" },
    },
    title: { takes: "TEXT", about: { en: "with change: its new title", zh: "与 change 合用：新标题" } },
    about: {
      takes: "TEXT",
      about: { en: "with add, change: what is wanted; - is standard input", zh: "与 add、change 合用：要做什么；- 表示标准输入" },
    },
    key: { takes: "KEY", about: { en: "with add: the section of a prd", zh: "与 add 合用：prd 的章节" } },
    after: {
      takes: "TASKS",
      about: {
        en: "with add, change: tasks that must be closed first, with commas between; none",
        zh: "与 add、change 合用：须先关闭的任务，以逗号分隔；none 表示没有",
      },
    },
    why: { takes: "TEXT", about: { en: "with close: the reason", zh: "与 close 合用：理由" } },
  },
  about: {
    en:
      "Tasks: add creates one, change gives it another title, description or order, ls lists them, ready lists those that can start, show prints " +
      "one in full, close ends it and stops the agent working on it. run assigns ready tasks to " +
      "agents until everything left waits for you; exit code 4 says that something does.",
    zh: "任务：add 创建，change 修改标题、说明或次序，ls 列出，ready 列出可以开始的，show 完整显示一个，close 关闭并让智能体停止处理。run 把可以开始的任务分派给智能体，直到其余的都在等你；退出码 4 表示有事在等你。",
  },
  examples: [
    ['colloquy tasks add "Fix the date on invoices"', ""],
    ['colloquy tasks add --kind feedback "The search is slow"', { en: "the analyst makes tasks of it", zh: "分析者会把它变成任务" }],
    ["colloquy tasks run", { en: "then colloquy questions, and run again", zh: "然后 colloquy questions，再运行一次" }],
  ],

  run: (call) => {
    const [verb = "ls", typed] = call.words;
    switch (verb) {
      case "ls":
        return withProject(call, async (project) =>
          list(call, await project.tasks.list({ ...statusOf(call.values), ...kindOf(call.values) })),
        );
      case "ready":
        return withProject(call, async (project) => list(call, await project.tasks.ready()));
      case "add":
        return withProject(call, (project) => add(call, project, typed));
      case "show":
        return withProject(call, (project) => show(call, project, typed));
      case "close":
        return withProject(call, async (project) => {
          if (typed === undefined) throw wrongUsage("Usage: colloquy tasks close TASK [--why TEXT]");
          const { why = "" }: Given = call.values;
          const task = await project.tasks.update(typed, { close: why });
          print(call, task, () => `${shortId(task.id)}  closed  ${task.title}\n`);
          return ExitCode.done;
        });
      case "change":
        return withProject(call, (project) => change(call, project, typed));
      case "run":
        return withProject(call, (project) => work(call, project), "touched");
      default:
        throw wrongUsage(`colloquy tasks ls, add, change, show, ready, run or close, not "${verb}".`);
    }
  },
});

function kindOf({ kind }: Given): { kind?: TaskView["kind"] } {
  if (kind === undefined) return {};
  const known = KINDS.find((one) => one === kind);
  if (!known) throw wrongUsage(`--kind is ${KINDS.join(", ")}, not "${kind}".`);
  return { kind: known };
}

function statusOf({ status }: Given): { status?: TaskView["status"] } {
  if (status === undefined) return {};
  const known = STATUSES.find((one) => one === status);
  if (!known) throw wrongUsage(`--status is ${STATUSES.join(", ")}, not "${status}".`);
  return { status: known };
}

function list(call: Call, found: readonly TaskView[]): ExitCode {
  const columns: readonly Column<TaskView>[] = [
    { title: "ID", show: ({ id }) => shortId(id) },
    { title: "STATUS", show: ({ status }) => status },
    { title: "KIND", show: ({ kind }) => kind },
    { title: "TITLE", show: ({ title }) => title, shrinks: true },
    { title: "WHO", show: ({ assignee }) => assignee ?? "" },
    {
      title: "WAITS FOR",
      show: (task) => (task.status === "blocked" ? "you" : task.status === "open" ? task.dependsOn.map(shortId).join(", ") : ""),
    },
  ];
  const empty = 'No tasks. Make one: colloquy tasks add "…"\n';
  print(call, { tasks: found }, () => (found.length === 0 && call.shell.out.isTerminal ? empty : table(call.shell.out, columns, found)));
  return ExitCode.done;
}

async function add(call: Call, project: ProjectAccess, title: string | undefined): Promise<ExitCode> {
  if (title === undefined) throw wrongUsage('Usage: colloquy tasks add "TITLE"');
  const { key, after, about }: Given = call.values;
  const task = await project.tasks.create({
    title,
    ...kindOf(call.values),
    ...(about !== undefined && { description: await textFrom([about], call) }),
    ...(key !== undefined && { key }),
    ...(after !== undefined && { dependsOn: namesIn(after) }),
  });
  print(call, task, () => `${shortId(task.id)}\n`);
  return ExitCode.done;
}

async function change(call: Call, project: ProjectAccess, typed: string | undefined): Promise<ExitCode> {
  const { title, about, after }: Given = call.values;
  if (typed === undefined || (title === undefined && about === undefined && after === undefined))
    throw wrongUsage("Usage: colloquy tasks change TASK [--title TEXT] [--about TEXT] [--after TASKS]");
  const task = await project.tasks.update(typed, {
    ...(title !== undefined && { title }),
    ...(about !== undefined && { description: await textFrom([about], call) }),
    ...(after !== undefined && { dependsOn: namesIn(after) }),
  });
  print(call, task, () => `${shortId(task.id)}  ${task.status}  ${task.title}\n`);
  return ExitCode.done;
}

const namesIn = (list: string): string[] => (list.trim() === "none" ? [] : list.split(",").map((one) => one.trim()));

async function show(call: Call, project: ProjectAccess, typed: string | undefined): Promise<ExitCode> {
  if (typed === undefined) throw wrongUsage("Usage: colloquy tasks show TASK");
  const task = await project.tasks.get(typed);
  const autonomy = await project.tasks.autonomy(typed);
  const questions = await Promise.all(task.questions.map((id) => project.question(id)));
  const cards = await Promise.all(questions.map((question) => cardOf(project, question)));
  print(call, { ...task, autonomy, openQuestions: questions }, () => {
    const { out, now } = call.shell;
    const { bold, dim } = out.colours;
    const lines = [
      `${bold(task.title)}  ${dim(shortId(task.id))}`,
      `${task.kind}, ${task.status}${task.blockReason === null ? "" : ` (${task.blockReason})`}${task.assignee === null ? "" : `, ${task.assignee}`}`,
      ...(task.dialogs.length > 0 ? [`dialog ${task.dialogs.map(shortId).join(", ")}`] : []),
      ...(task.dependsOn.length > 0 ? [`after ${task.dependsOn.map(shortId).join(", ")}`] : []),
      ...(task.failures > 0 ? [`failed ${task.failures === 1 ? "once" : `${task.failures} times`}`] : []),
      dim(`autonomy: ${autonomyText(autonomy)}`),
      ...(task.description === "" ? [] : ["", task.description]),
      ...(task.summary === undefined || task.summary === "" ? [] : ["", task.summary]),
      "",
      ...task.history.map(({ at, what, by, why }) =>
        dim(`${at.slice(0, 16).replace("T", " ")}  ${what}${by === undefined ? "" : ` by ${by}`}${why ? `: ${why.split("\n")[0]}` : ""}`),
      ),
    ];
    return `${lines.join("\n")}\n${cards.length > 0 ? `\n${inboxText(out, cards, now())}` : ""}`;
  });
  await rememberShown(project, questions);
  return ExitCode.done;
}

/** Works until all remaining tasks wait for a person. */
async function work(call: Call, project: ProjectAccess): Promise<ExitCode> {
  const before = new Map((await project.tasks.list()).map((task) => [task.id, task.status]));
  await project.tasks.run();
  const moved = (await project.tasks.list()).filter((task) => before.get(task.id) !== task.status);
  const waiting = await project.tasks.list({ status: "blocked" });
  const questions = (await project.questions()).filter((one) => waiting.some((task) => task.questions.includes(one.id)));
  const cards = await Promise.all(questions.map((one) => cardOf(project, one)));
  print(call, { tasks: moved, questions }, () => {
    const { out, now } = call.shell;
    const lines = moved.map((task) => `${shortId(task.id)}  ${task.status}  ${task.title}\n`).join("");
    return lines + (questions.length > 0 ? `\n${inboxText(out, cards, now())}` : "");
  });
  await rememberShown(project, questions);
  const left = await project.tasks.ready();
  if (left.length > 0) tell(call, `${left.length} ready, but nobody takes them: ${[...new Set(left.map(({ kind }) => kind))].join(", ")}.`);
  return waiting.length > 0 ? ExitCode.waiting : left.length > 0 ? ExitCode.refused : ExitCode.done;
}

/** Autonomy by class, in the setting's words, with its source if that isn't the project. */
function autonomyText({ hilConfig, from, path, isReadable }: TaskAutonomy): string {
  const levels = Object.entries(hilConfig).map(([name, level]) => `${name} ${level}`);
  const where = from === "project" ? "" : isReadable ? ` (${path})` : ` (${path} cannot be read, so everything asks)`;
  return `${levels.join(", ")}${where}`;
}
