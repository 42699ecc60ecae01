// A project as a process of its own, to be killed. Its argument: the folder. The environment names the collector.
import { openProject } from "@colloquy/library";
import { askPerson, say } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { delegateToBoth, TEAM } from "./trace-story.ts";

const [dir = "", goal] = process.argv.slice(2);
const model = toldModel({ lead: [delegateToBoth, say("Both.")], coder: [say("a")], reviewer: [askPerson("Is it done?"), say("b")] });
const project = await openProject({
  dir,
  agents: TEAM,
  model: model.name,
  findModel: () => model,
  report: (message) => process.stderr.write(`${message}\n`),
});
if (goal !== undefined) await project.dialogs.create({ content: goal });
await project.drive();
const [question] = await project.questions.list();
process.stdout.write(`${JSON.stringify({ question: question?.id })}\n`);
process.stdin.on("data", (chunk: Buffer) => {
  if (chunk.toString().startsWith("answer"))
    void project.questions
      .answer(question?.id ?? "", { content: "Yes" })
      .then(() => project.drive())
      .then(() => project.flushTraces())
      .then(() => process.stdout.write('{"done":true}\n'));
});
