import type { StopReason } from "@colloquy/schema";

/** What the system says when something is called off: a fault that a person gave up, a session that its asker ended. */
export interface EndingTexts {
  readonly gaveUp: (by: string, why: string) => string;
  /** Why a dialog stopped, without advice: for an agent that can do nothing about it. */
  readonly stopCause: (reason: StopReason) => string;
}

const en: EndingTexts = {
  gaveUp: (by, why) => `${by} gave this up: ${why}`,
  stopCause: ({ code, message }) =>
    ({
      person: message,
      cascade: message,
      repeated_call: message,
      crashed_repeatedly: message,
      bad_output: message,
      limit: "It reached a limit.",
      agent_gone: "Its agent is no longer in the team.",
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
};

const zh: EndingTexts = {
  gaveUp: (by, why) => `${by} 已放弃此事：${why}`,
  stopCause: ({ code, message }) =>
    ({
      person: message,
      cascade: message,
      repeated_call: message,
      crashed_repeatedly: message,
      bad_output: message,
      limit: "它已达到上限。",
      agent_gone: "它的智能体已不在团队中。",
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
};

export const endingTexts = { en, zh } as const;
