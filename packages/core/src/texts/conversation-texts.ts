import type { Phase } from "@colloquy/schema";

/** What a busy agent is doing. Shown to the sender of a message. */
export type Doing =
  | { readonly kind: "stopped" }
  | { readonly kind: "tool"; readonly tool: string; readonly forMs: number }
  | { readonly kind: "thinking"; readonly forMs: number }
  | { readonly kind: "waiting"; readonly open: readonly OpenItem[] }
  | { readonly kind: "about" };

/** Something open: an ask with its recipient, or a question to people without one. */
export interface OpenItem {
  readonly who: string | undefined;
  readonly headline: string;
  readonly forMs: number;
  /** The id that `cancel_asks` takes. */
  readonly call?: string | undefined;
}

/** When a message will be read. */
export type ReadWhen = "atOnce" | "nextStep" | "answered" | "resumed";

/** What the system says in a dialog with several speakers, and to people who write to a busy agent. */
export interface ConversationTexts {
  readonly busy: (name: string, doing: Doing, when: ReadWhen) => string;
  readonly stillOpenNow: (open: readonly OpenItem[]) => string;
  readonly interrupted: (tool: string) => string;
  readonly phaseIs: (phase: Phase) => string;
  readonly phaseWasSet: (who: string, phase: Phase, why: string | undefined) => string;
  readonly phaseDone: (phase: Phase) => string;
  readonly phaseNotAllowed: (from: Phase, to: Phase, allowed: readonly Phase[]) => string;
  readonly handOffNeedsSummary: (phase: Phase) => string;
  readonly notShown: (messages: number) => string;
  readonly writeTitle: string;
  readonly writeSummary: string;
  readonly replyForBusy: (name: string) => string;
}

/** A duration in the most suitable unit. */
function span(ms: number, units: readonly [string, string, string, string]): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds} ${units[0]}`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} ${units[1]}`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} ${units[2]}`;
  return `${Math.round(seconds / 86_400)} ${units[3]}`;
}

const enSpan = (ms: number): string => span(ms, ["s", "min", "h", "d"]);
const zhSpan = (ms: number): string => span(ms, ["秒", "分钟", "小时", "天"]);

const en: ConversationTexts = {
  busy: (name, doing, when) => {
    const open = doing.kind === "waiting" ? doing.open : [];
    const does = {
      stopped: () => "is stopped",
      tool: () => (doing.kind === "tool" ? `is running ${doing.tool} (${enSpan(doing.forMs)})` : ""),
      thinking: () => (doing.kind === "thinking" ? `is thinking (${enSpan(doing.forMs)})` : ""),
      waiting: () =>
        `waits for ${open.map(({ who, headline, forMs }) => `${who ?? "a person"}: "${headline}" (${enSpan(forMs)})`).join("; ") || "a call"}`,
      about: () => "is about to continue",
    }[doing.kind]();
    const reads = {
      atOnce: "It reads your message now.",
      nextStep: "It reads your message at its next step.",
      answered: "It reads your message when that is answered; sent with now, it would read it at once.",
      resumed: "It reads your message when it is resumed.",
    }[when];
    return `${name} ${does}. ${reads}`;
  },
  stillOpenNow: (open) =>
    `A person wants this read now, while you still wait. Open: ${open
      .map(
        ({ who, headline, forMs, call }) =>
          `${who ?? "a person"}: "${headline}" (${enSpan(forMs)}${call === undefined ? "" : `, call ${call}`})`,
      )
      .join("; ")}. All of it stays open: answer and keep waiting, or use cancel_asks.`,
  interrupted: (tool) => `${tool} was interrupted by a person's message before it was done.`,
  phaseIs: (phase) => `The phase of this dialog is ${phase}.`,
  phaseWasSet: (who, phase, why) => `${who} set the phase to ${phase}${why ? `: ${why}` : "."}`,
  phaseDone: (phase) => `The phase is ${phase}.`,
  phaseNotAllowed: (from, to, allowed) => `From ${from} the phase cannot become ${to}. Allowed: ${allowed.join(", ")}.`,
  handOffNeedsSummary: (phase) => `The phase is already ${phase}. To hand off within it, give a summary.`,
  notShown: (messages) => `The beginning is not shown here: ${messages} earlier messages do not fit into your context.`,
  writeTitle:
    "Write a title of at most eight words for a conversation that begins as follows, in its language. Only the title, no quotation marks.",
  writeSummary:
    "Summarise a conversation in at most three sentences, in its language: what was wanted, and the outcome. You are shown an earlier summary if there is one, the first request and the latest answer. Only the summary.",
  replyForBusy: (name) =>
    `${name} is busy, and a person has just written. Reply with one JSON object and nothing else: ` +
    '{"message_for_user": a short, friendly acknowledgement that says what is being done and that the message will be read, ' +
    '"system_message_for_active_ral": one sentence for the busy agent about what the person wants, ' +
    '"stop_current_step": true only if the person clearly wants the current work interrupted at once}.',
};

const zh: ConversationTexts = {
  busy: (name, doing, when) => {
    const open = doing.kind === "waiting" ? doing.open : [];
    const does = {
      stopped: () => "已停",
      tool: () => (doing.kind === "tool" ? `正在运行 ${doing.tool}（${zhSpan(doing.forMs)}）` : ""),
      thinking: () => (doing.kind === "thinking" ? `正在思考（${zhSpan(doing.forMs)}）` : ""),
      waiting: () =>
        `在等待${open.map(({ who, headline, forMs }) => `${who ?? "人"}：“${headline}”（${zhSpan(forMs)}）`).join("；") || "一次调用"}`,
      about: () => "即将继续",
    }[doing.kind]();
    const reads = {
      atOnce: "它现在就会读到你的消息。",
      nextStep: "它会在下一步读到你的消息。",
      answered: "得到回答后它会读到你的消息；以 now 发送则会立即读到。",
      resumed: "恢复后它会读到你的消息。",
    }[when];
    return `${name} ${does}。${reads}`;
  },
  stillOpenNow: (open) =>
    `有人要你现在就读这条消息，而你仍在等待。未结：${open
      .map(
        ({ who, headline, forMs, call }) =>
          `${who ?? "人"}：“${headline}”（${zhSpan(forMs)}${call === undefined ? "" : `，调用 ${call}`}）`,
      )
      .join("；")}。这些都仍然有效：可以答复后继续等待，或使用 cancel_asks。`,
  interrupted: (tool) => `${tool} 尚未完成就被一条消息打断。`,
  phaseIs: (phase) => `本对话的阶段是 ${phase}。`,
  phaseWasSet: (who, phase, why) => `${who} 将阶段设为 ${phase}${why ? `：${why}` : "。"}`,
  phaseDone: (phase) => `阶段是 ${phase}。`,
  phaseNotAllowed: (from, to, allowed) => `阶段不能从 ${from} 变为 ${to}。允许：${allowed.join("、")}。`,
  handOffNeedsSummary: (phase) => `阶段已经是 ${phase}。要在其中交接，请给出 summary。`,
  notShown: (messages) => `开头部分未显示：较早的 ${messages} 条消息放不进你的上下文。`,
  writeTitle: "请为如下开头的对话写一个不超过十五个字的标题，用它的语言。只写标题，不加引号。",
  writeSummary:
    "请用对话的语言把它概括为不超过三句话：想要什么，有了什么结果。你会看到先前的概括（如果有）、最初的请求和最近的答复。只写概括。",
  replyForBusy: (name) =>
    `${name} 正忙，有人刚写来一条消息。请只回复一个 JSON 对象：` +
    '{"message_for_user": 一句简短友好的回执，说明正在做什么以及消息会被读到，' +
    '"system_message_for_active_ral": 给正忙的智能体的一句话，说明来人要什么，' +
    '"stop_current_step": 仅当来人明确要立即打断当前工作时为 true}。',
};

export const conversationTexts = { en, zh } as const;
