import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BuiltServer } from "./built-server.ts";
import { Crowd, type Report } from "./crowd.ts";
import { between, randomFrom } from "./random.ts";

export const CLOCK = fileURLToPath(new URL("./clock-shift.mjs", import.meta.url));
const HOUR = 3_600_000;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The wall clock jumps under load, forwards and backwards, also between a kill and the next start. */
export async function clocks(seed: number, count: number): Promise<Report> {
  const random = randomFrom(seed);
  const crowd = new Crowd(seed);
  const file = join(crowd.dir, "..", "clock.json");
  const set = (shiftMs: number) => writeFileSync(file, JSON.stringify({ shiftMs }));
  set(0);
  const options = { nodeArgs: ["--import", CLOCK], env: { COLLOQUY_CLOCK: file } };
  let server = await BuiltServer.start(crowd.dir, options);
  const { port } = server;
  crowd.entrance.set(server);
  let shift = 0;
  for (let nth = 1; nth <= count && crowd.ledger.problems.length === 0; nth++) {
    await pause(between(random, 50, 300));
    shift += between(random, -48, 48) * HOUR;
    set(shift);
    server.signal("SIGUSR2");
    await pause(between(random, 20, 150));
    if (nth % 3 === 0) {
      crowd.entrance.set(undefined);
      await server.end("SIGKILL");
      shift -= between(random, 1, 48) * HOUR;
      set(shift);
      server = await BuiltServer.start(crowd.dir, { ...options, port });
      crowd.entrance.set(server);
    }
    await crowd.check(server);
  }
  if (crowd.ledger.problems.length === 0) await crowd.finish(server);
  const problems = [...crowd.ledger.problems, ...(await lateDeadline(server, () => set((shift += 3 * HOUR))))];
  await server.end("SIGTERM");
  crowd.leave(problems);
  return {
    name: "clock jumps",
    problems,
    line: `${count} jumps of up to two days in both directions, every third with a kill and a clock that went back; a deadline that a jump passed rang: ${crowd.summary()}`,
  };
}

/** A deadline that the clock skips is noticed within a minute of real time, not when the old timer would have fired. */
async function lateDeadline(server: BuiltServer, jump: () => void): Promise<string[]> {
  const made = await server.must("POST", "/dialogs", { content: "decide late soon", msgId: "late", agentId: "coder" });
  const { rootId } = made as { rootId: string };
  const open = async () => {
    const answer = await server.must("GET", "/questions?status=open");
    const { questions } = answer as { questions: { dialog: { rootId: string } }[] };
    return questions.some(({ dialog }) => dialog.rootId === rootId);
  };
  for (let tries = 0; !(await open()); tries++) {
    if (tries > 200) return ["the question with a deadline was not asked"];
    await pause(25);
  }
  jump();
  server.signal("SIGUSR2");
  for (let tries = 0; await open(); tries++) {
    if (tries > 350) return ["a deadline that the clock had passed did not ring within 70 seconds"];
    await pause(200);
  }
  return [];
}
