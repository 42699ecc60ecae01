import { isCall, isSaying, isThinking, type Part, type Recorded } from "@colloquy/schema";
import { segmentKey } from "./live-rows.ts";
import { callRow } from "./show-call.ts";
import type { Show } from "./transcript-draft.ts";

type Step = Extract<Recorded["event"], { type: "step.ended" | "step.cut" }>;

/** Their asks and questions are shown as cards. */
const ASK_TOOLS = new Set(["tellask", "tellaskSessionless", "tellaskBack", "freshBootsReasoning", "delegate", "askHuman", "ask"]);
/** Their events are shown as lines. */
const LINE_TOOLS = new Set([
  "clear_mind",
  "mark_done",
  "add_reminder",
  "update_reminder",
  "delete_reminder",
  "set_phase",
  "record_decision",
]);

/** What the agent thought and said, and the calls that have no row of another kind. */
export const showStep: Show<Step> = (draft, event, here) => {
  const { type, agent, course, gen, parts, ms } = event;
  if (type === "step.ended") draft.markRead(agent, event.seen);
  let segment = 0;
  for (const [nth, part] of parts.entries()) {
    if (isThinking(part) || isSaying(part)) {
      const key = segmentKey(course, gen, segment++);
      const [kind, text] = isThinking(part) ? (["thinking", part.thinking] as const) : (["saying", part.saying] as const);
      const took = nth === 0 ? ms : undefined;
      if (text.trim() !== "") draft.add({ ...here, key, kind, agent, text, ms: took, isCut: type === "step.cut", isLive: false });
    } else if (isCall(part) && !isShownElsewhere(part)) {
      draft.add(callRow(part, agent, { ...here, key: `${here.key}.${nth}` }), `c${part.call}`);
    }
  }
};

const isShownElsewhere = ({ tool, kind }: Extract<Part, { call: string }>): boolean =>
  kind === "house" && (ASK_TOOLS.has(tool) || LINE_TOOLS.has(tool));
