import { AgentView, texts } from "@colloquy/core";
import { AgentId, DialogId, type TreeEvent } from "@colloquy/schema";
import { median } from "./bare.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";

const dialog = DialogId.parse("d".repeat(32));
const [lead, coder] = ["lead", "coder"].map((id) => AgentId.parse(id)) as [AgentId, AgentId];
const SAMPLE = 400;

/** The cost of building the next request, in a long dialog of two agents against a short one. */
export async function nextMessages(): Promise<Figure[]> {
  timesAfter(2_000); // warm-up
  const short = median(timesAfter(100));
  const long = median(timesAfter(10_000));
  return [
    {
      name: "messages of the next step, 10,000 against 100",
      value: long / short,
      unit: "×",
      limit: 2,
      note: `${(short * 1_000).toFixed(1)} → ${(long * 1_000).toFixed(1)} µs`,
    },
  ];
}

/** Times for one more message, a text of the other agent, and the request for them, after this many messages. */
function timesAfter(messages: number): number[] {
  const view = new AgentView({ dialog, agent: lead, nameOf: (agent) => agent, texts: () => texts.en }, 0);
  let seq = 0;
  const hear = (event: TreeEvent) => view.receive(++seq, event);
  const exchange = () => {
    hear({ type: "message.added", dialog, course: 1, by: "anna", content: WORDS, to: [coder], opens: [coder] });
    hear(said(coder, seq, seq));
    hear({ type: "message.added", dialog, course: 1, by: "anna", content: WORDS, to: [lead], opens: [lead] });
    view.show(seq, seq, true);
    hear(said(lead, seq, seq));
  };
  while (seq < messages) exchange();
  return Array.from({ length: SAMPLE }, () => {
    const began = performance.now();
    exchange();
    return performance.now() - began;
  });
}

const said = (agent: AgentId, turn: number, seen: number): TreeEvent => ({
  type: "step.ended",
  dialog,
  course: 1,
  agent,
  turn,
  step: 1,
  seen,
  index: 1,
  gen: 1,
  parts: [{ saying: WORDS }],
  ends: true,
  away: true,
  ms: 1,
});
