import type { StopReason } from "@colloquy/schema";

/**
 * What the system says when something ends early: a reply that was cut off, a fault that a person gave up, a session that its asker ended.
 */
export interface EndingTexts {
  readonly cutShort: string;
  readonly cutShortAgain: (name: string) => string;
  readonly gaveUp: (by: string, why: string) => string;
  /** Why a dialog stopped, without advice, for agents that cannot do anything about it. */
  readonly stopCause: (reason: StopReason) => string;
  /** `slug`: the session's name, if it is a session. */
  readonly sessionEnded: (name: string, slug: string | undefined) => string;
  readonly endedByAsker: string;
  readonly agentLeft: (agent: string) => string;
  readonly endedAlready: string;
  readonly endOwnDialog: string;
  readonly endNotYours: (name: string) => string;
  readonly othersWait: (names: readonly string[]) => string;
  readonly noSession: (name: string, slug: string, known: readonly string[]) => string;
  readonly noSideDialog: (typed: string, fitting: readonly string[]) => string;
}

const en: EndingTexts = {
  cutShort:
    "Your last reply was cut off at the output limit of your model. Continue exactly where it stopped, without repeating anything; the pieces are joined. If you had not started to reply, be brief.",
  cutShortAgain: (name) =>
    `The replies of ${name} are cut off at the output limit of its model again and again. Ask for less at once, or give the agent a model with a larger output limit; then resume.`,
  gaveUp: (by, why) => `${by} gave this up: ${why}`,
  stopCause: ({ code, message }) =>
    ({
      person: message,
      cascade: message,
      repeated_call: message,
      crashed_repeatedly: message,
      bad_output: message,
      output_cut: "Its replies were cut off at the output limit of its model.",
      limit: "It reached a limit.",
      agent_gone: "Its agent is no longer in the team.",
      definition_changed: "Its agent was changed while it waited, and is pinned.",
      tool_gone: "It waited for a tool that its agent no longer has.",
      no_key: "Its model has no key.",
      wrong_key: "The provider refused the key of its model.",
      no_credit: "The quota of its model is used up.",
      unknown_model: "The provider does not have its model.",
      context_too_long: "The dialog is too long for its model.",
      model_refused: "The provider refused the request to its model.",
      model_unreachable: "Its model could not be reached.",
      script_ended: "Its script has ended.",
      bug: "Something went wrong inside Colloquy.",
    })[code],
  sessionEnded: (name, slug) =>
    slug === undefined ? `The side dialog of ${name} is ended.` : `The session "${slug}" of ${name} is ended. Its name is free.`,
  endedByAsker: "The asker ended this dialog.",
  agentLeft: (agent) => `@${agent} has left the team; another agent takes over.`,
  endedAlready: "It has already ended. Nothing was changed.",
  endOwnDialog: "You work in this dialog yourself. End it with your reply.",
  endNotYours: (name) => `Not ended: this dialog of ${name} has never worked for yours. Only its askers can end it.`,
  othersWait: (names) => `Not ended: ${names.join(", ")} still ${names.length === 1 ? "waits" : "wait"} for it.`,
  noSession: (name, slug, known) => `${name} has no session "${slug}". Sessions of ${name}: ${known.join(", ") || "none"}.`,
  noSideDialog: (typed, fitting) =>
    fitting.length > 0
      ? `Several side dialogs end in "${typed}". Give the whole id.`
      : `There is no side dialog "${typed}". Take its digits from the list of what you wait for.`,
};

const zh: EndingTexts = {
  cutShort: "你上一条答复在模型的输出上限处被截断。请从断开处接着写，不要重复；各段会拼接起来。如果尚未开始答复，请写得简短。",
  cutShortAgain: (name) => `${name} 的答复一再在模型的输出上限处被截断。请一次少要一些，或给它换用输出上限更大的模型，然后恢复。`,
  gaveUp: (by, why) => `${by} 已放弃此事：${why}`,
  stopCause: ({ code, message }) =>
    ({
      person: message,
      cascade: message,
      repeated_call: message,
      crashed_repeatedly: message,
      bad_output: message,
      output_cut: "它的答复总在模型的输出上限处被截断。",
      limit: "它已达到上限。",
      agent_gone: "它的智能体已不在团队中。",
      definition_changed: "它的智能体在等待期间被改动，而其定义是固定的。",
      tool_gone: "它等待的工具，其智能体已不再拥有。",
      no_key: "它的模型没有密钥。",
      wrong_key: "服务商拒绝了它所用模型的密钥。",
      no_credit: "它所用模型的额度已用完。",
      unknown_model: "服务商没有它所用的模型。",
      context_too_long: "对话太长，它的模型装不下。",
      model_refused: "服务商拒绝了对它所用模型的请求。",
      model_unreachable: "无法连接到它的模型。",
      script_ended: "它的脚本已经结束。",
      bug: "Colloquy 内部出错。",
    })[code],
  sessionEnded: (name, slug) => (slug === undefined ? `${name} 的子对话已结束。` : `${name} 的会话“${slug}”已结束，名称可再用。`),
  endedByAsker: "请托者已结束此对话。",
  agentLeft: (agent) => `@${agent} 已离开团队，由其他智能体接手。`,
  endedAlready: "它已经结束，没有任何改变。",
  endOwnDialog: "这是你自己所在的对话，请以回复结束。",
  endNotYours: (name) => `未结束：${name} 的这个对话从未为你的对话工作过，只有它的请托者可以结束它。`,
  othersWait: (names) => `未结束：${names.join("、")} 仍在等它。`,
  noSession: (name, slug, known) => `${name} 没有名为“${slug}”的会话。现有会话：${known.join("、") || "无"}。`,
  noSideDialog: (typed, fitting) =>
    fitting.length > 0 ? `有多个子对话以“${typed}”结尾，请给出完整 id。` : `没有子对话“${typed}”。请从你等待事项的列表中取其编号。`,
};

export const endingTexts = { en, zh } as const;
