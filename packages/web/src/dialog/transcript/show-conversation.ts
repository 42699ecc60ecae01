import type { Recorded } from "@colloquy/schema";
import type { Show } from "./transcript-draft.ts";

type Of<Type extends Recorded["event"]["type"]> = Extract<Recorded["event"], { type: Type }>;

export const showMessage: Show<Of<"message.added">> = (draft, { by, content: text, to, images = [] }, here) => {
  draft.addUnread(here.seq, to);
  const names = images.map(({ name }) => name);
  draft.add({ ...here, kind: "person", by, text, to, images: names, isUnread: to.length > 0, ack: undefined }, `m${here.seq}`);
};

export const showAcknowledged: Show<Of<"message.acknowledged">> = (draft, { message, text }) =>
  draft.change(`m${message}`, "person", () => ({ ack: text }));

/** In the dialog that is asked. */
export const showAssignment: Show<Of<"ask.opened">> = (draft, { agent: from, dialog: fromDialog, kind, content: text }, here) =>
  draft.add({ ...here, key: `a${here.seq}`, kind: "assignment", from, fromDialog, isBack: kind === "tellaskBack", text });

/** In the dialog that asks. */
export const showAsk: Show<Of<"ask.opened">> = (draft, event, here) => {
  const { agent, ask, to, recipient, content: text } = event;
  const isBack = event.kind === "tellaskBack";
  draft.add(
    { ...here, kind: "ask", agent, ask, isBack, to, recipient, text, isQueued: event.queued === true, answer: undefined },
    `a${ask}`,
  );
};

export const showAskAnswered: Show<Of<"ask.answered">> = (draft, { ask, content: text, outcome }, { at }) =>
  draft.change(`a${ask}`, "ask", () => ({ isQueued: false, answer: { text, outcome, at } }));

const isPlain = (kind: Of<"question.asked">["kind"]): boolean => kind === "question" || kind === "confirmation";

export const showQuestion: Show<Of<"question.asked">> = (draft, event, here) => {
  const { question, agent, headline, text, options = [] } = event;
  if (event.kind === "approval" && event.call !== undefined) draft.change(`c${event.call}`, "call", () => ({ held: question }));
  const open = { as: "open", by: undefined, answer: undefined, closedAt: undefined } as const;
  draft.add(
    { ...here, kind: "question", question, agent, headline, text, options, isApproval: !isPlain(event.kind), ...open },
    `q${question}`,
  );
};

export const showRevised: Show<Of<"question.revised">> = (draft, { question, headline, text, options }) =>
  draft.change(`q${question}`, "question", (row) => ({ headline, text, options: options ?? row.options }));

export const showClosed: Show<Of<"question.closed">> = (draft, { question, as, by, verdict, choice = [], content }, { at }) => {
  const words = [verdict, ...choice, content].filter((one) => one !== undefined && one !== "");
  const answer = words.length > 0 ? [...new Set(words)].join(" · ") : undefined;
  draft.change(`q${question}`, "question", () => ({ as, by, answer, closedAt: at }));
};

export const showCourse: Show<Of<"course.started">> = (draft, { course, by, full }, here) =>
  draft.add({ ...here, kind: "course", course, by, isFull: full === true });
