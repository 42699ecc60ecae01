import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openProject, type Project } from "@colloquy/library";
import { Client } from "pg";
import { postgresFolder, startPostgres } from "../../scripts/postgres.mjs";
import { newFolder } from "./bare.ts";
import { type Figure, Skipped } from "./figure.ts";
import { instantModel, WORDS } from "./instant-model.ts";

const TREES = 300;
const WAITING = 100_000;
const STEPS_BEFORE = 2_000;

interface NodeProcess {
  readonly process: ChildProcess;
  readonly lines: Interface;
}

/** Three nodes with 300 trees at work: how long trees pause when one of them is killed, freezes or stops; and a node over many waiting trees. */
export async function nodes(): Promise<Figure[]> {
  if (!postgresFolder()) throw new Skipped("PostgreSQL is not installed");
  const server = await startPostgres({ durable: true });
  try {
    const pause = async (how: NodeJS.Signals, name: string) => paused(`${server.url}?project=${name}`, server.url, how);
    const [killed, frozen, stopped] = [
      await pause("SIGKILL", "killed"),
      await pause("SIGSTOP", "frozen"),
      await pause("SIGTERM", "stopped"),
    ];
    const many = await overMany(server.url);
    const moved = (trees: number) => `the last of ${trees} trees moves again, of ${TREES} at work on three nodes`;
    return [
      { name: "a node is killed (kill -9)", value: killed.ms / 1_000, unit: "s", limit: 1, note: moved(killed.trees) },
      { name: "a node freezes (SIGSTOP)", value: frozen.ms / 1_000, unit: "s", limit: 4, note: moved(frozen.trees) },
      { name: "a node is stopped (SIGTERM)", value: stopped.ms / 1_000, unit: "s", limit: 1, note: moved(stopped.trees) },
      {
        name: "opening with 100,000 waiting trees",
        value: many.openMs / 1_000,
        unit: "s",
        limit: 2,
        note: "from the call until it is ready",
      },
      { name: "an answer at another node", value: many.answerMs, unit: "ms", limit: 100, note: "until the model is called; median of 20" },
    ];
  } finally {
    await server.stop();
  }
}

/** Milliseconds until each tree of the lost node has continued at another one. */
async function paused(store: string, url: string, how: NodeJS.Signals): Promise<{ readonly ms: number; readonly trees: number }> {
  const all = await Promise.all(Array.from({ length: 3 }, () => startNode(store)));
  const watching = await openProject({ dir: newFolder("watching"), drive: "none", env: { ...process.env, COLLOQUY_STORE: store } });
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    let steps = 0;
    const moved = new Map<string, () => void>();
    const stop = watching.onCommit(({ lines }) => {
      for (const { stream } of lines) moved.get(stream)?.();
      steps += 1;
    });
    for (const node of all) await told(node, String(TREES / all.length));
    await until(() => steps > STEPS_BEFORE);
    const [lost] = all as [NodeProcess];
    const schema = `colloquy_${new URL(store).searchParams.get("project")}`;
    const find = `select s.id, s.owner from "${schema}".streams s join "${schema}".nodes n on n.id = s.owner
      where n.pid = $1 and n.ended is null and s.hot`;
    const at = performance.now();
    lost.process.kill(how);
    const { rows } = await database.query<{ id: string; owner: string }>(find, [lost.process.pid]);
    let lastMs = 0;
    // One after the other over the same connection.
    let asked: Promise<{ rows: { owner: string | null }[] }> = Promise.resolve({ rows: [] });
    const waits = rows.map(
      ({ id, owner }) =>
        new Promise<void>((resolve) => {
          const look = async () => {
            // Excludes commits that the lost node had already sent.
            asked = asked.then(() => database.query(`select owner from "${schema}".streams where id = $1`, [id]));
            const { rows: now } = await asked;
            if (now[0]?.owner === owner || now[0]?.owner === null || !moved.delete(id)) return;
            lastMs = performance.now() - at;
            resolve();
          };
          moved.set(id, () => void look());
        }),
    );
    await Promise.all(waits);
    stop();
    moved.clear();
    await asked;
    return { ms: lastMs, trees: rows.length };
  } finally {
    await database.end();
    await watching.close();
    for (const node of all) node.process.kill("SIGKILL");
  }
}

async function startNode(store: string): Promise<NodeProcess> {
  const file = fileURLToPath(new URL("nodes-process.ts", import.meta.url));
  const child = spawn(process.execPath, [file, store, newFolder("node")], { stdio: ["pipe", "pipe", "inherit"] });
  const node = { process: child, lines: createInterface({ input: child.stdout }) };
  await once(node.lines, "line");
  return node;
}

async function told({ process: child, lines }: NodeProcess, line: string): Promise<void> {
  const done = once(lines, "line");
  child.stdin?.write(`${line}\n`);
  await done;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** One waiting tree is copied in the database, with new ids. */
async function overMany(url: string): Promise<{ readonly openMs: number; readonly answerMs: number }> {
  const store = `${url}?project=many`;
  const calledAt = new Map<string, number>();
  const reply = ({ messages, step }: { readonly messages: readonly unknown[]; readonly step: number }) => {
    if (step === 1) return { calls: [{ tool: "askHuman", input: { tellaskContent: "Which colour?" } }] };
    calledAt.set("last", performance.now());
    return { say: `${WORDS}${messages.length}` };
  };
  const model = instantModel(reply);
  const open = (): Promise<Project> =>
    openProject({
      dir: newFolder("many"),
      agents: [{ id: "lead", role: "You lead." }],
      model: model.name,
      findModel: () => model,
      env: { ...process.env, COLLOQUY_STORE: store },
    });
  const first = await open();
  const { id } = await first.dialogs.create({ content: WORDS });
  await first.dialogs.quiet(id);
  await copied(url, id);
  const startedAt = performance.now();
  const second = await open();
  const openMs = performance.now() - startedAt;
  const some = Array.from({ length: 20 }, () => first.dialogs.create({ content: WORDS }));
  const times: number[] = [];
  for (const dialog of await Promise.all(some)) {
    await first.dialogs.quiet(dialog.id);
    const question = first.dialogs.entry(dialog.id)?.questions?.[0];
    const askedAt = performance.now();
    await second.questions.answer(question?.id ?? "", { content: "Red" });
    await second.dialogs.quiet(dialog.id);
    times.push((calledAt.get("last") ?? Infinity) - askedAt);
  }
  await second.close();
  await first.close();
  return { openMs, answerMs: times.toSorted((a, b) => a - b)[times.length >> 1] ?? Infinity };
}

async function copied(url: string, id: string): Promise<void> {
  const database = new Client({ connectionString: url });
  await database.connect();
  const tail = "lpad(to_hex(n), 8, '0')";
  const own = (text: string) => `replace(${text}, '${id.slice(-8)}', ${tail})`;
  const from = `from generate_series(1, ${WAITING}) n`;
  await database.query(`insert into colloquy_many.streams (id, seq, course, entry, hot)
    select ${own("id")}, seq, course, ${own("entry")}, hot from colloquy_many.streams s, lateral (select n ${from}) n where s.id = '${id}'`);
  await database.query(`insert into colloquy_many.lines (stream, seq, last, pos, at, v, events)
    select ${own("stream")}, seq, last, pos, at, v, ${own("events")} from colloquy_many.lines l, lateral (select n ${from}) n where l.stream = '${id}'`);
  await database.end();
}
