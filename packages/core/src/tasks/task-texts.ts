import type { TaskKind } from "@colloquy/schema";

interface TaskWords {
  readonly id: string;
  readonly kind: TaskKind;
  readonly title: string;
  readonly description: string;
  readonly key?: string | undefined;
}
interface Answered {
  readonly question: string;
  readonly answer: string;
}

/** What the system says about tasks. */
export interface TaskTexts {
  readonly takeTask: (task: TaskWords) => string;
  readonly takeAgain: (task: TaskWords, answered: readonly Answered[], why: string | undefined) => string;
  readonly noStatus: string;
  readonly failedNotDone: string;
  readonly askedFirst: (tool: string) => string;
  readonly taskMade: (id: string) => string;
  readonly planMade: (tasks: readonly { readonly key: string; readonly id: string }[]) => string;
  readonly taskChanged: (id: string) => string;
  readonly closeByEnding: string;
  readonly closeByPerson: (id: string, who: string | undefined) => string;
  readonly failedOften: (title: string, times: number) => string;
  readonly failedOftenText: (summary: string) => string;
  readonly tryAgainChoice: string;
  readonly closeTaskChoice: string;
}

const KINDS = {
  en: { feedback: "feedback", prd: "PRD section", plan: "plan", task: "task" },
  zh: { feedback: "反馈", prd: "需求文档章节", plan: "计划", task: "任务" },
} as const;

const ENDING = {
  en: {
    task: 'When you are done, end with one JSON object: {"status": "success" or "failed", "summary": "what was done, or why not"}.',
    other: "When you are done, end with a short summary.",
    ask: 'If it is not clear what is wanted, do not guess: end with {"status": "failed", "open_questions": [{"id": "q1", "text": "…", "options": ["…", "…"]}]}. Nothing else is created then; you get the task again with the answers.',
  },
  zh: {
    task: '完成后，以一个 JSON 对象结束：{"status": "success" 或 "failed", "summary": "做了什么，或为何没做成"}。',
    other: "完成后，以简短的总结结束。",
    ask: '若要求不清楚，不要猜测：以 {"status": "failed", "open_questions": [{"id": "q1", "text": "……", "options": ["……", "……"]}]} 结束。此时不会创建任何内容；得到回答后会再次把任务交给你。',
  },
} as const;

const taken = (language: "en" | "zh", header: string, { id, kind, key, title, description }: TaskWords): string =>
  [
    `${header}${key === undefined ? "" : ` ${key}`} (${id.slice(-6)}): ${title}`,
    ...(description === "" ? [] : [description]),
    kind === "task" ? ENDING[language].task : ENDING[language].other,
    ENDING[language].ask,
  ].join("\n\n");

const en: TaskTexts = {
  takeTask: (task) => taken("en", `You are given this ${KINDS.en[task.kind]}`, task),
  takeAgain: (task, answered, why) =>
    [
      taken("en", `You are given this ${KINDS.en[task.kind]} again`, task),
      ...(answered.length > 0
        ? [`Your questions are answered:\n${answered.map((one) => `- ${one.question}\n  ${one.answer}`).join("\n")}`]
        : []),
      ...(why === undefined || why === "" ? [] : [`The last attempt failed: ${why}`]),
    ].join("\n\n"),
  noStatus: 'You did not say how it went. End with one JSON object: {"status": "success" or "failed", "summary": "…"}.',
  failedNotDone:
    "mark_done was not run: your output says that the task has failed. End without mark_done to have it retried; if it has succeeded, say so.",
  askedFirst: (tool) => `${tool} was not run: a question about this is still open. Nothing is created before it is answered.`,
  taskMade: (id) => `Task ${id.slice(-6)} is created.`,
  planMade: (tasks) => `Created: ${tasks.map(({ key, id }) => `${key} (${id.slice(-6)})`).join(", ")}.`,
  taskChanged: (id) => `Task ${id.slice(-6)} is changed.`,
  closeByEnding: 'This is the task that you work on: it is closed when you end with {"status": "success", "summary": "…"}.',
  closeByPerson: (id, who) =>
    `Task ${id.slice(-6)} has been started${who === undefined ? "" : ` by ${who}`}: now only a person can close it. Ask one with askHuman.`,
  failedOften: (title, times) => `"${title}" has failed ${times} times. Try again?`,
  failedOftenText: (summary) => `The last time: ${summary || "it gave no reason"}\nAnswer with advice, and it is retried with it.`,
  tryAgainChoice: "Try again",
  closeTaskChoice: "Close it",
};

const zh: TaskTexts = {
  takeTask: (task) => taken("zh", `交给你的${KINDS.zh[task.kind]}`, task),
  takeAgain: (task, answered, why) =>
    [
      taken("zh", `再次交给你的${KINDS.zh[task.kind]}`, task),
      ...(answered.length > 0 ? [`你的提问已有回答：\n${answered.map((one) => `- ${one.question}\n  ${one.answer}`).join("\n")}`] : []),
      ...(why === undefined || why === "" ? [] : [`上一次失败了：${why}`]),
    ].join("\n\n"),
  noStatus: '你没有说明结果如何。请以一个 JSON 对象结束：{"status": "success" 或 "failed", "summary": "……"}。',
  failedNotDone: "mark_done 未执行：你的输出说明任务失败了。不调用 mark_done 而结束，任务会重新尝试；如果已经成功，请明确说明。",
  askedFirst: (tool) => `${tool} 未执行：与此有关的提问尚未结束，回答之前不会创建任何内容。`,
  taskMade: (id) => `任务 ${id.slice(-6)} 已创建。`,
  planMade: (tasks) => `已创建：${tasks.map(({ key, id }) => `${key}（${id.slice(-6)}）`).join("、")}。`,
  taskChanged: (id) => `任务 ${id.slice(-6)} 已修改。`,
  closeByEnding: '这正是你在做的任务：以 {"status": "success", "summary": "……"} 结束时它就会关闭。',
  closeByPerson: (id, who) =>
    `任务 ${id.slice(-6)} 已经开始${who === undefined ? "" : `，由 ${who} 负责`}：现在只有人可以关闭它。请用 askHuman 告诉他们。`,
  failedOften: (title, times) => `“${title}”已失败 ${times} 次。再试一次吗？`,
  failedOftenText: (summary) => `最近一次：${summary || "没有说明原因"}\n也可以用建议作答，它会据此再试。`,
  tryAgainChoice: "再试一次",
  closeTaskChoice: "关闭任务",
};

export const taskTexts = { en, zh } as const;
