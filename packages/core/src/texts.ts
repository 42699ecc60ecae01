/** What the system says to agents and about dialogs, in the project's language. */
export interface Texts {
  readonly emptyEnd: string;
  readonly repeatedCall: (tool: string) => string;
  readonly stoppedForRepetition: (tool: string) => string;
  readonly crashedRepeatedly: string;
  readonly stepLimit: (limit: number) => string;
  readonly tokenLimit: (used: number, limit: number) => string;
  readonly costLimit: (used: number, limit: number) => string;
  readonly unknownTool: (tool: string, known: readonly string[]) => string;
  readonly badInput: (tool: string, problems: string) => string;
  readonly unreadableInput: (tool: string) => string;
  readonly outcomeUnknown: (tool: string) => string;
  readonly stoppedWhileRunning: (tool: string) => string;
  readonly timedOut: (tool: string, seconds: number) => string;
  readonly cutOutput: (shown: number, total: number, blob: string) => string;
  readonly agentGone: (agent: string) => string;
  readonly toolGone: (tool: string) => string;
  readonly whoYouAre: (name: string, agentId: string) => string;
}

const en: Texts = {
  emptyEnd: "Your last reply was empty. Say what you found or did, or go on with a tool.",
  repeatedCall: (tool) => `You have called ${tool} three times with the same input and got the same result. Try something else, or say what is in the way.`,
  stoppedForRepetition: (tool) => `It called ${tool} again and again with the same input and the same result.`,
  crashedRepeatedly: "The process died each time this step was driven, the last time with nothing else at work.",
  stepLimit: (limit) => `It took ${limit} steps since a person last spoke (limits.stepsPerTurn).`,
  tokenLimit: (used, limit) => `It used ${used} of ${limit} tokens (limits.tokensPerTree).`,
  costLimit: (used, limit) => `It has used ${used.toFixed(2)} of ${limit.toFixed(2)} (limits.costPerTree).`,
  unknownTool: (tool, known) => `There is no tool "${tool}". You have: ${known.join(", ") || "none"}.`,
  badInput: (tool, problems) => `${tool} was not run: its input does not fit. ${problems}`,
  unreadableInput: (tool) => `${tool} was not run: its input is not valid JSON.`,
  outcomeUnknown: (tool) => `${tool} was interrupted by a crash. Whether it took effect is unknown: look before you try again.`,
  stoppedWhileRunning: (tool) => `${tool} was stopped while it ran. Whether it took effect is unknown.`,
  timedOut: (tool, seconds) => `${tool} did not finish within ${seconds} s and was stopped. Whether it took effect is unknown.`,
  cutOutput: (shown, total, blob) => `… cut here: ${shown} of ${total} characters. The whole output is kept as ${blob}.`,
  agentGone: (agent) => `It belongs to "${agent}", who is not in the team any more. Put it back into colloquy.yaml, then resume.`,
  toolGone: (tool) => `It waits for a call of "${tool}", which its agent does not have any more. Put it back, then resume.`,
  whoYouAre: (name, agentId) => `You are ${name} (@${agentId}).`,
};

const zh: Texts = {
  emptyEnd: "你上一次的回复是空的。请说明你的发现或所做的事，或者继续使用工具。",
  repeatedCall: (tool) => `你已三次以相同的输入调用 ${tool}，结果都相同。请换一种办法，或说明受阻之处。`,
  stoppedForRepetition: (tool) => `它反复以相同的输入调用 ${tool}，结果始终相同。`,
  crashedRepeatedly: "每次执行这一步时进程都崩溃了，最后一次没有其他工作在进行。",
  stepLimit: (limit) => `自上次有人发言以来已执行 ${limit} 步（limits.stepsPerTurn）。`,
  tokenLimit: (used, limit) => `已用 ${used} 词元，上限 ${limit}（limits.tokensPerTree）。`,
  costLimit: (used, limit) => `已花费 ${used.toFixed(2)}，上限 ${limit.toFixed(2)}（limits.costPerTree）。`,
  unknownTool: (tool, known) => `没有名为“${tool}”的工具。可用的有：${known.join("、") || "无"}。`,
  badInput: (tool, problems) => `${tool} 未执行：输入不符合要求。${problems}`,
  unreadableInput: (tool) => `${tool} 未执行：输入不是有效的 JSON。`,
  outcomeUnknown: (tool) => `${tool} 因崩溃中断，是否已生效未知：重试之前请先查看。`,
  stoppedWhileRunning: (tool) => `${tool} 在运行中被停止，是否已生效未知。`,
  timedOut: (tool, seconds) => `${tool} 未能在 ${seconds} 秒内完成，已被停止，是否已生效未知。`,
  cutOutput: (shown, total, blob) => `…… 在此截断：共 ${total} 个字符，显示 ${shown} 个。完整输出保存为 ${blob}。`,
  agentGone: (agent) => `它属于“${agent}”，而该智能体已不在团队中。请将其放回 colloquy.yaml，然后恢复。`,
  toolGone: (tool) => `它在等待“${tool}”的调用，而其智能体已没有该工具。请将其放回，然后恢复。`,
  whoYouAre: (name, agentId) => `你是 ${name}（@${agentId}）。`,
};

export const texts = { en, zh } as const;
export type Language = keyof typeof texts;
