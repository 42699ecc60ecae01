import { openProject, type Project } from "@colloquy/library";
import { postgresFolder, startPostgres } from "../../scripts/postgres.mjs";
import { median, newFolder, timed } from "./bare.ts";
import { type Figure, Skipped } from "./figure.ts";
import { instantModel, WORDS } from "./instant-model.ts";

const DIALOGS = 100;
const TURNS = 10;
const WARM_UP = 3;
const ROUNDS = 7;
const ALONE = 200;

/** The store in PostgreSQL against the one in a folder, in the same minutes and with every sync. */
export async function postgres(): Promise<Figure[]> {
  if (!postgresFolder()) throw new Skipped("PostgreSQL is not installed");
  const server = await startPostgres({ durable: true });
  try {
    const stored = await opened("postgres", `${server.url}?project=bench`);
    const filed = await opened("postgres-file", undefined);
    const [inDatabase, inFolder] = [await hundred(stored), await hundred(filed)];
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const [database, folder] = [await timed(inDatabase), await timed(inFolder)];
      if (round < WARM_UP) continue;
      ours.push(database);
      theirs.push(folder);
    }
    const alone = await oneAlone(stored);
    await stored.close();
    await filed.close();
    const perSecond = (ms: readonly number[]) => Math.round((DIALOGS * TURNS * 1000) / median(ms));
    return [
      {
        name: "100 dialogs at once, PostgreSQL",
        value: median(theirs) / median(ours),
        unit: "× the store in a folder",
        limit: 0.5,
        atLeast: true,
        note: `${perSecond(ours)} against ${perSecond(theirs)} turns per second`,
      },
      {
        name: "one dialog alone, PostgreSQL",
        value: alone.statements,
        unit: "round trips per commit",
        limit: 1.1,
        note: `${alone.ms.toFixed(2)} ms per turn of two commits`,
      },
    ];
  } finally {
    await server.stop();
  }
}

async function opened(name: string, store: string | undefined): Promise<Project> {
  const model = instantModel(() => ({ say: WORDS.repeat(4) }));
  const env = { ...process.env, COLLOQUY_STORE: store };
  return openProject({ dir: newFolder(name), agents: [{ id: "lead", role: "You lead." }], model: model.name, findModel: () => model, env });
}

/** A hundred dialogs, and a round of turns in all of them at once. */
async function hundred(project: Project): Promise<() => Promise<unknown>> {
  const dialogs = await Promise.all(Array.from({ length: DIALOGS }, () => project.dialogs.create({ content: WORDS })));
  await Promise.all(dialogs.map((dialog) => project.dialogs.quiet(dialog.id)));
  return () =>
    Promise.all(
      dialogs.map(async (dialog) => {
        for (let turn = 0; turn < TURNS; turn += 1) {
          await dialog.send({ content: WORDS });
          await project.dialogs.quiet(dialog.id);
        }
      }),
    );
}

async function oneAlone(project: Project): Promise<{ readonly ms: number; readonly statements: number }> {
  const dialog = await project.dialogs.create({ content: WORDS });
  await dialog.result();
  const before = project.health();
  const times: number[] = [];
  for (let turn = 0; turn < ALONE; turn += 1) {
    const ms = await timed(async () => {
      await dialog.send({ content: WORDS });
      await project.dialogs.quiet(dialog.id);
    });
    times.push(ms);
  }
  const after = project.health();
  return { ms: median(times), statements: (after.syncs - before.syncs) / (after.commits - before.commits) };
}
