import { BuiltServer } from "./built-server.ts";
import { Crowd, type Report } from "./crowd.ts";
import { between, randomFrom } from "./random.ts";

/** Kills the server at random moments, some of them while it starts, and compares after each restart. */
export async function kills(seed: number, count: number, say: (text: string) => void): Promise<Report> {
  const random = randomFrom(seed);
  const crowd = new Crowd(seed);
  let server = await BuiltServer.start(crowd.dir);
  const { port } = server;
  crowd.entrance.set(server);
  let whileStarting = 0;
  for (let nth = 1; nth <= count && crowd.ledger.problems.length === 0; nth++) {
    await new Promise((resolve) => setTimeout(resolve, between(random, 5, 350)));
    crowd.entrance.set(undefined);
    await server.end("SIGKILL");
    if (random() < 0.15) {
      whileStarting++;
      await BuiltServer.killedWhileStarting(crowd.dir, between(random, 60, 450));
    }
    server = await BuiltServer.start(crowd.dir, { port });
    crowd.entrance.set(server);
    await crowd.check(server);
    if (nth % 50 === 0) say(`${nth} kills: ${crowd.summary()}`);
  }
  if (crowd.ledger.problems.length === 0) await crowd.finish(server);
  await server.end("SIGKILL");
  crowd.leave(crowd.ledger.problems);
  return {
    name: "kill -9",
    problems: crowd.ledger.problems,
    line: `${count} kills under load and ${whileStarting} more while starting: ${crowd.summary()}`,
  };
}
