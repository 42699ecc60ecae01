import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { newFolder } from "./bare.ts";
import type { Figure } from "./figure.ts";

const script = fileURLToPath(new URL("./waiting-process.ts", import.meta.url));

interface Waiting {
  readonly openMs: number;
  readonly residentMB: number;
  readonly firstMs: number;
  readonly answerMs: number;
}

/** A hundred thousand trees wait for a person, and their process is killed: the cost of a new process that opens them and answers one. */
export async function waiting(): Promise<Figure[]> {
  const [few, many] = [await waitingFor(100), await waitingFor(100_000)];
  return [
    {
      name: "100,000 waiting trees after kill -9",
      value: (many.openMs + many.firstMs) / 1_000,
      unit: "s until one is answered",
      limit: 1,
      note: `opened in ${many.openMs.toFixed(0)} ms, the first answer ${many.firstMs.toFixed(0)} ms; with 100: ${few.openMs.toFixed(0)} and ${few.firstMs.toFixed(0)} ms`,
    },
    {
      name: "  the process that holds them",
      value: many.residentMB,
      unit: "MB resident",
      limit: 200,
      note: `${few.residentMB.toFixed(0)} MB with 100`,
    },
    {
      name: "  answering one",
      value: many.answerMs / few.answerMs,
      unit: "× as with 100",
      limit: 1.5,
      note: `${few.answerMs.toFixed(2)} → ${many.answerMs.toFixed(2)} ms`,
    },
  ];
}

async function waitingFor(count: number): Promise<Waiting> {
  const dir = newFolder(`waiting-${count}`);
  const makes = start("make", dir, String(count));
  const questions = await makes.line;
  makes.child.kill("SIGKILL");
  await makes.exited;
  const answers = start("answer", dir, questions);
  const told = JSON.parse(await answers.line) as Waiting;
  await answers.exited;
  return told;
}

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const line = Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => String(text)),
    exited.then(() => Promise.reject(new Error(`${args[0]} ended without a word`))),
  ]);
  return { child, exited, line };
}
