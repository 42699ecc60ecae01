/** What a person is shown about a call that needs approval or gives notice. */
export interface CardTexts {
  readonly runsCommand: (command: string, folder: string | undefined) => string;
  /** The end of a card that was cut. */
  readonly leftOutOfCard: (characters: number) => string;
  readonly runsTool: (tool: string, input: string) => string;
  readonly changesFile: (path: string, isNew: boolean, added: number, removed: number) => string;
  readonly changesMind: (section: string) => string;
  readonly changesPrd: (section: string) => string;
  readonly newTask: (title: string) => string;
  readonly newPlan: (tasks: number) => string;
  /** A task of a plan and its dependencies. */
  readonly plannedTask: (key: string, title: string, after: readonly string[]) => string;
  readonly changesTask: (task: string) => string;
  readonly closesTask: (task: string) => string;
  readonly decides: (title: string) => string;
}

const en: CardTexts = {
  leftOutOfCard: (characters) => `… ${characters} more characters are not shown here. Look at all of it before you decide.`,
  runsCommand: (command, folder) => `Run${folder === undefined ? "" : ` (in ${folder})`}: ${command}`,
  runsTool: (tool, input) => `Run ${tool}${input === "" ? "" : ` ${input}`}`,
  changesFile: (path, isNew, added, removed) => `${isNew ? "New file" : "Change"} ${path} (+${added} −${removed})`,
  changesMind: (section) => `Change the ${section}`,
  changesPrd: (section) => `Change the requirements: ${section}`,
  newTask: (title) => `New task: ${title}`,
  newPlan: (tasks) => (tasks === 1 ? "New plan: 1 task" : `New plan: ${tasks} tasks`),
  plannedTask: (key, title, after) => `${key}: ${title}${after.length === 0 ? "" : ` (after ${after.join(", ")})`}`,
  changesTask: (task) => `Change task ${task}`,
  closesTask: (task) => `Close task ${task}`,
  decides: (title) => `Decision: ${title}`,
};

const zh: CardTexts = {
  leftOutOfCard: (characters) => `……还有 ${characters} 个字符未在此显示。决定之前请先查看全部内容。`,
  runsCommand: (command, folder) => `运行${folder === undefined ? "" : `（在 ${folder} 中）`}：${command}`,
  runsTool: (tool, input) => `运行 ${tool}${input === "" ? "" : ` ${input}`}`,
  changesFile: (path, isNew, added, removed) => `${isNew ? "新文件" : "修改"} ${path}（+${added} −${removed}）`,
  changesMind: (section) => `修改 ${section}`,
  changesPrd: (section) => `修改需求：${section}`,
  newTask: (title) => `新任务：${title}`,
  newPlan: (tasks) => `新计划：${tasks} 个任务`,
  plannedTask: (key, title, after) => `${key}：${title}${after.length === 0 ? "" : `（在 ${after.join("、")} 之后）`}`,
  changesTask: (task) => `修改任务 ${task}`,
  closesTask: (task) => `关闭任务 ${task}`,
  decides: (title) => `决定：${title}`,
};

export const cardTexts = { en, zh } as const;
