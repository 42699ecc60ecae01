import { openProject, type Project } from "@colloquy/library";
import type { RootId } from "@colloquy/schema";
import { BareFile, inBlocks, median, newFolder, percentile, timed } from "./bare.ts";
import { agents, delegating } from "./delegation.ts";
import type { Figure } from "./figure.ts";
import { instantModel, type Reply, WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const WARM_UP = 2_000;
const ROUNDS = 300;

/** From the answer to the moment at which the resumed agent's model is called; and the whole of delegate, ask, answer. */
export async function askAndAnswer(): Promise<Figure[]> {
  let calledAt = 0;
  const project = await benchProject(
    "asks",
    delegating(() => void (calledAt = performance.now())),
    agents,
  );
  const bare = new BareFile(newFolder("asks-bare"));
  const resume: number[] = [];
  const sync: number[] = [];
  const whole: number[] = [];
  const floor: number[] = [];
  const delegate = async (): Promise<{ readonly resumedMs: number; readonly wholeMs: number }> => {
    const startedAt = performance.now();
    const dialog = await project.dialogs.create({ content: WORDS });
    await project.dialogs.quiet(dialog.id);
    const [question] = project.dialogs.entry(dialog.id)?.questions ?? [];
    if (!question) throw new Error("no question");
    const askedMs = performance.now() - startedAt;
    const answeredAt = performance.now();
    const answered = project.questions.answer(question.id, { content: "the red one" });
    calledAt = 0;
    await answered;
    while (calledAt === 0) await new Promise((go) => setImmediate(go));
    const resumedMs = calledAt - answeredAt;
    await project.dialogs.quiet(dialog.id);
    return { resumedMs, wholeMs: askedMs + performance.now() - answeredAt };
  };
  for (let round = 0; round < WARM_UP; round++) await delegate();
  await inBlocks(
    ROUNDS,
    async () => {
      const { resumedMs, wholeMs } = await delegate();
      resume.push(resumedMs);
      whole.push(wholeMs);
    },
    () => {
      sync.push(bare.write([400]));
      floor.push(bare.write([600, 900, 700, 400, 900, 500, 100, 100]));
    },
  );
  bare.close();
  await project.close();
  return [
    {
      name: "answer to model called",
      value: median(resume) / median(sync),
      unit: "× one bare sync",
      limit: 2.5,
      note: `p50 ${median(resume).toFixed(2)} ms, p99 ${percentile(resume, 0.99).toFixed(2)} ms; bare ${median(sync).toFixed(2)} ms`,
    },
    {
      name: "delegate, ask, answer (6 commits)",
      value: median(whole) / median(floor),
      unit: "× 8 bare syncs",
      limit: 1.3,
      note: `${median(whole).toFixed(2)} ms against ${median(floor).toFixed(2)} ms`,
    },
  ];
}

/** Does a step cost more in a tree with a thousand side dialogs than in one with ten? */
export async function wideTree(): Promise<Figure[]> {
  const [narrow, wide] = [await stepsIn(10), await stepsIn(1_000)];
  return [
    {
      name: "step in a tree of 1,000 side dialogs",
      value: wide.stepMs / narrow.stepMs,
      unit: "× one of 10",
      limit: 1.5,
      note: `${narrow.stepMs.toFixed(2)} → ${wide.stepMs.toFixed(2)} ms`,
    },
    {
      name: "opening it and answering",
      value: wide.openMs / narrow.openMs,
      unit: "× one of 10",
      limit: 60,
      note: `${narrow.openMs.toFixed(1)} → ${wide.openMs.toFixed(1)} ms`,
    },
  ];
}

async function stepsIn(sides: number): Promise<{ stepMs: number; openMs: number }> {
  const dir = newFolder(`wide-${sides}`);
  const script: Reply = ({ agent, messages }) => {
    if (agent === "coder") return { say: "done" };
    const made = messages.filter((message) => message.role === "assistant").length;
    const wave = Math.min(20, sides);
    return made < sides / wave
      ? {
          calls: Array.from({ length: wave }, (_, nth) => ({
            tool: "tellaskSessionless",
            input: { targetAgentId: "coder", tellaskContent: `part ${made} ${nth}` },
          })),
        }
      : { say: WORDS };
  };
  const open = (): Promise<Project> => {
    const model = instantModel(script);
    return openProject({ dir, agents, model: model.name, findModel: () => model });
  };
  const first = await open();
  const dialog = await first.dialogs.create({ content: "go" });
  await first.dialogs.quiet(dialog.id);
  const times: number[] = [];
  for (let round = 0; round < 101; round++) times.push(await turn(first, dialog.id));
  await first.close();
  const openMs = await timed(async () => {
    const again = await open();
    await turn(again, dialog.id);
    await again.close();
  });
  return { stepMs: median(times), openMs };
}

const turn = (project: Project, id: RootId): Promise<number> =>
  timed(async () => {
    await project.dialogs.send(id, { content: WORDS });
    await project.dialogs.quiet(id);
  });
