// A process for bench `waiting`. `make DIR COUNT`: creates this many trees that wait for a person, prints some of their questions and
// waits to be killed. `answer DIR QUESTIONS`: opens the project, answers them one by one, and prints the times.
import { openProject } from "@colloquy/library";
import { median } from "./bare.ts";
import { agents, delegating } from "./delegation.ts";
import { instantModel, WORDS } from "./instant-model.ts";

const SOME = 80;
const [mode, dir = "", what = ""] = process.argv.slice(2);
const model = instantModel(delegating(() => {}));
const beganAt = performance.now();
const project = await openProject({ dir, agents, model: model.name, findModel: () => model });
const openMs = performance.now() - beganAt;

if (mode === "make") {
  let left = Number(what);
  const questions: [string, string][] = [];
  const worker = async () => {
    while (left-- > 0) {
      const { id } = await project.dialogs.create({ content: WORDS });
      await project.dialogs.quiet(id);
      const [question] = project.dialogs.entry(id)?.questions ?? [];
      if (question && questions.length < SOME) questions.push([id, question.id]);
    }
  };
  await Promise.all(Array.from({ length: 100 }, worker));
  process.stdout.write(`${JSON.stringify(questions)}\n`);
  setInterval(() => {}, 1_000);
} else {
  const residentMB = process.memoryUsage.rss() / 1024 / 1024;
  const times: number[] = [];
  for (const [root, question] of JSON.parse(what) as [never, never][]) {
    const startedAt = performance.now();
    await project.questions.answer(question, { content: "the red one" });
    await project.dialogs.quiet(root);
    times.push(performance.now() - startedAt);
  }
  // Warm-up.
  process.stdout.write(`${JSON.stringify({ openMs, residentMB, firstMs: times[0], answerMs: median(times.slice(SOME / 2)) })}\n`);
  await project.close();
}
