import { BuiltServer } from "./built-server.ts";
import { Crowd, type Report } from "./crowd.ts";
import { between, randomFrom } from "./random.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Freezes the server under load and resumes it; nobody else may take over meanwhile. Some freezes are final. */
export async function stops(seed: number, count: number): Promise<Report> {
  const random = randomFrom(seed);
  const crowd = new Crowd(seed);
  const problems: string[] = [];
  let server = await BuiltServer.start(crowd.dir);
  const { port } = server;
  crowd.entrance.set(server);
  for (let nth = 1; nth <= count && crowd.ledger.problems.length === 0; nth++) {
    await pause(between(random, 50, 400));
    server.signal("SIGSTOP");
    await pause(between(random, 200, 1_500));
    const second = await BuiltServer.start(crowd.dir).catch((error: Error) => error.message);
    if (typeof second !== "string") {
      problems.push("a second server was let in while the first was frozen");
      await second.end("SIGKILL");
    } else if (!second.includes(`pid ${server.pid}`)) problems.push(`the second server was refused with: ${second}`);
    if (nth % 4 === 0) {
      crowd.entrance.set(undefined);
      await server.end("SIGKILL");
      server = await BuiltServer.start(crowd.dir, { port });
      crowd.entrance.set(server);
    } else server.signal("SIGCONT");
    await crowd.check(server);
  }
  await crowd.finish(server);
  await server.end("SIGTERM");
  problems.push(...crowd.ledger.problems);
  crowd.leave(problems);
  return {
    name: "SIGSTOP",
    problems,
    line: `frozen ${count} times, every fourth time killed in that state; a second server was refused each time: ${crowd.summary()}`,
  };
}
