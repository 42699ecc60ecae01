import type { SettledAs } from "@colloquy/schema";

/** The first paths that a command would change, and the number of further ones. */
interface Touched {
  readonly paths: readonly string[];
  readonly more: number;
}

/** What the system says about commands that run on a layer over the project. */
export interface LayerTexts {
  /** The heading of a command's effects, for people. */
  readonly whatItDid: string;
  /** A person denied it after it had run on its layer. */
  readonly discarded: (by: string, why: string | undefined, touched: Touched) => string;
  readonly nothingKept: (tool: string, how: "crashed" | "stopped" | "late") => string;
  /** These files changed while the command ran or waited. */
  readonly notApplied: (paths: readonly string[]) => string;
  readonly notAppliedByRule: (pattern: string) => string;
  /** The settings became stricter after the command was judged. */
  readonly notAppliedUnapproved: string;
  /** The heading of the notice to a person whose approval had no effect. */
  readonly approvedInVain: (by: string, what: string, why: string) => string;
  /** A person has undone the changes of one of the agent's commands. */
  readonly callUndone: (by: string, tool: string, touched: Touched) => string;
  /** A person had one of the agent's calls undone by its tool. */
  readonly callTakenBack: (by: string, tool: string, said: string) => string;
  /** A person found out how a call with an unknown outcome ended. */
  readonly callSettled: (by: string, tool: string, as: SettledAs, note: string | undefined) => string;
}

/** A name with line breaks in it could pass for a note of its own. */
const named = (path: string): string =>
  /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)
    ? JSON.stringify(path).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
    : path;
const joined = (paths: readonly string[], between: string): string => paths.map(named).join(between);

const listed = ({ paths, more }: Touched, between: string, rest: (more: number) => string): string =>
  paths.length === 0 ? ".git" : joined(paths, between) + (more > 0 ? rest(more) : "");

const en: LayerTexts = {
  whatItDid: "What the command did (nothing is applied yet):",
  discarded: (by, why, { paths, more }) =>
    [
      `Not applied: ${by} denied it, and the project is unchanged.`,
      ...(why ? [`Reason: ${why}`] : []),
      `The command would have changed ${joined(paths, ", ")}${more > 0 ? ` and ${more} more` : ""}. Do not try the same again.`,
    ].join(" "),
  nothingKept: (tool, how) => {
    const end = { crashed: "was interrupted by a crash", stopped: "was stopped while it ran", late: "took too long and was ended" }[how];
    return `${tool} ${end}. None of its changes were applied: the project is unchanged.`;
  },
  notApplied: (paths) =>
    `Not applied: ${joined(paths, ", ")} changed while the command ran or waited for approval. The project is otherwise unchanged. Look at these files, then run the command again.`,
  notAppliedByRule: (pattern) => `Not applied: the permissions forbid "${pattern}". The project is unchanged.`,
  notAppliedUnapproved:
    "Not applied: its effects now need a person's approval. The project is unchanged. Run the command again to ask for it.",
  approvedInVain: (by, what, why) => `${by} approved "${what}", and nothing was done. ${why}`,
  callUndone: (by, tool, touched) =>
    `${by} undid one of your calls of ${tool}. ${listed(touched, ", ", (more) => ` and ${more} more`)} are as they were before it. Do not count on its changes, and do not make them again unless you are asked to.`,
  callTakenBack: (by, tool, said) =>
    `${by} undid one of your calls of ${tool}.${said === "" ? "" : ` The tool says: ${said}`} Do not count on its effect, and do not make the call again unless you are asked to.`,
  callSettled: (by, tool, as, note) =>
    `${by} found out how your interrupted call of ${tool} ended: ${as === "done" ? "it took effect" : "it did not take effect"}.${note === undefined ? "" : ` Note: ${note}`}`,
};

const zh: LayerTexts = {
  whatItDid: "这条命令做了以下改动（尚未生效）：",
  discarded: (by, why, { paths, more }) =>
    [
      `改动未生效：${by} 拒绝了，项目保持原样。`,
      ...(why ? [`理由：${why}。`] : []),
      `这条命令原本会改动 ${joined(paths, "、")}${more > 0 ? ` 等，另有 ${more} 个文件` : ""}。请勿再试同样的操作。`,
    ].join(""),
  nothingKept: (tool, how) =>
    `${tool} ${{ crashed: "因崩溃中断", stopped: "在运行中被停止", late: "超时，已终止" }[how]}。它所做的改动均未生效，项目保持原样。`,
  notApplied: (paths) =>
    `改动未生效：命令运行或等待批准期间，${joined(paths, "、")} 已被他人修改，其余保持原样。请查看这些文件后重新运行命令。`,
  notAppliedByRule: (pattern) => `改动未生效：permissions 禁止“${pattern}”。项目保持原样。`,
  notAppliedUnapproved: "改动未生效：现在须先由人批准它所做的改动。项目保持原样。请重新运行这条命令，届时会请人批准。",
  approvedInVain: (by, what, why) => `${by} 批准了“${what}”，但未执行任何操作。${why}`,
  callUndone: (by, tool, touched) =>
    `${by} 撤销了你的一次 ${tool} 调用。${listed(touched, "、", (more) => ` 等，另有 ${more} 个文件`)} 已恢复到调用之前的状态。请不要再依赖这些改动；除非有人要求，也不要重做。`,
  callTakenBack: (by, tool, said) =>
    `${by} 撤销了你的一次 ${tool} 调用。${said === "" ? "" : `工具的答复：${said}。`}请不要再依赖它的结果；除非有人要求，也不要重做。`,
  callSettled: (by, tool, as, note) =>
    `${by} 查明了你那次中断的 ${tool} 调用的结果：${as === "done" ? "已经生效" : "没有生效"}。${note === undefined ? "" : `备注：${note}`}`,
};

export const layerTexts = { en, zh };
