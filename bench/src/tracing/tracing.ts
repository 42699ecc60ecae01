import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openProject } from "@colloquy/library";
import { median, newFolder, timed } from "../bare.ts";
import type { Figure } from "../figure.ts";
import { instantModel, WORDS } from "../instant-model.ts";

const DIALOGS = 100;
const TURNS = 100;
const ROUNDS = 7;

/** A hundred dialogs at once with tracing on, against the same with tracing off, in alternating rounds. */
export async function tracing(): Promise<Figure[]> {
  const collector = await startCollector();
  const off = await hundred("tracing-off", {});
  const on = await hundred("tracing-on", { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  for (let warm = 0; warm < 2; warm++) {
    await off.round();
    await on.round();
  }
  const without: number[] = [];
  const withIt: number[] = [];
  for (let nth = 0; nth < ROUNDS; nth++) {
    without.push(await timed(off.round));
    withIt.push(await timed(on.round));
    await on.flush();
  }
  const ratios = without.map((ms, nth) => ms / (withIt[nth] ?? ms));
  const perSecond = (times: readonly number[]) => Math.round((DIALOGS * TURNS * 1000) / median(times));
  const state = on.state();
  await off.close();
  await on.close();
  collector.stop();
  return [
    {
      name: "100 dialogs at once, traced",
      value: median(ratios),
      unit: "× without tracing",
      limit: 0.95,
      atLeast: true,
      note: `${perSecond(withIt)} against ${perSecond(without)} turns per second, ${state?.sentSpans ?? 0} spans sent`,
    },
  ];
}

async function hundred(name: string, env: Readonly<Record<string, string>>) {
  const model = instantModel(() => ({ say: WORDS.repeat(4) }));
  const agents = [{ id: "lead", role: "You lead." }];
  const project = await openProject({ dir: newFolder(name), agents, model: model.name, findModel: () => model, env });
  const dialogs = await Promise.all(Array.from({ length: DIALOGS }, () => project.dialogs.create({ content: WORDS })));
  await Promise.all(dialogs.map((dialog) => project.dialogs.quiet(dialog.id)));
  return {
    round: () =>
      Promise.all(
        dialogs.map(async (dialog) => {
          for (let turn = 0; turn < TURNS; turn++) {
            await dialog.send({ content: WORDS });
            await project.dialogs.quiet(dialog.id);
          }
        }),
      ),
    flush: () => project.flushTraces(),
    state: () => project.tracing(),
    close: () => project.close(),
  };
}

/** A collector that only accepts, in a process of its own, as collectors are. */
async function startCollector(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(fileURLToPath(new URL("collector.ts", import.meta.url)));
  const port = await new Promise<number>((resolve) => child.once("message", (told) => resolve(Number(told))));
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
