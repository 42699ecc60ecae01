import type { ModelRequest } from "@colloquy/models";
import { percentile } from "./bare.ts";
import { agents, asked, delegating } from "./delegation.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const TREES = 20_000;
const WIDTH = 100;

/** Delegate, ask, answer, a hundred at once, each in a tree of its own, until there are twenty thousand. */
export async function sustained(): Promise<Figure[]> {
  const answeredAt = new Map<string, number>();
  const resumes: number[] = [];
  const onModel = (request: ModelRequest) => {
    const [key = ""] = /\bk\d+:/.exec(asked(request)) ?? [];
    const at = answeredAt.get(key);
    if (at === undefined || request.agent !== "coder") return;
    resumes.push(performance.now() - at);
    answeredAt.delete(key);
  };
  const project = await benchProject("sustained", delegating(onModel), agents);
  const doneAt: number[] = [];
  let left = TREES;
  const worker = async () => {
    while (left-- > 0) {
      const key = `k${left}:`;
      const { id } = await project.dialogs.create({ content: `${key} ${WORDS}` });
      await project.dialogs.quiet(id);
      const [question] = project.dialogs.entry(id)?.questions ?? [];
      if (!question) throw new Error("no question");
      answeredAt.set(key, performance.now());
      await project.questions.answer(question.id, { content: "the red one" });
      await project.dialogs.quiet(id);
      doneAt.push(performance.now());
    }
  };
  const beganAt = performance.now();
  await Promise.all(Array.from({ length: WIDTH }, worker));
  await project.close();
  const half = TREES / 2;
  const rate = (from: number, to: number) => (to - from) / ((doneAt[to - 1] ?? 0) - (doneAt[from - 1] ?? beganAt));
  return [
    {
      name: "delegate, ask, answer: 20,000 new trees",
      value: rate(0, TREES) * 1_000,
      unit: "per second, 100 at once",
      limit: 2_000,
      atLeast: true,
      note: `${Math.round(rate(0, half) * 1_000)} in the first half, ${Math.round(rate(half, TREES) * 1_000)} in the second`,
    },
    {
      name: "  answer to model called",
      value: percentile(resumes, 0.99),
      unit: "ms, p99",
      limit: 10,
      note: `p50 ${percentile(resumes, 0.5).toFixed(2)} ms, of ${resumes.length}`,
    },
  ];
}
