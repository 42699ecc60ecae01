import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { colloquy, isServed, until } from "./support.ts";
import { team } from "./team.ts";

const bin = fileURLToPath(new URL("../bin/colloquy.js", import.meta.url));
const hasTerminal = process.platform === "linux" && existsSync("/usr/bin/script");

/** A command in a pseudo-terminal, and the keys pressed there. */
function inTty(cwd: string, args: readonly string[], size: { columns: number; rows: number }) {
  const command = `stty cols ${size.columns} rows ${size.rows}; exec ${[process.execPath, bin, ...args].map((one) => `'${one}'`).join(" ")}`;
  const child = spawn("/usr/bin/script", ["-qefc", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: tmpdir(), TERM: "xterm-256color", LANG: "C.UTF-8", COLLOQUY_TRUST: "1" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let seen = "";
  let heardAt = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    seen += stripVTControlCharacters(text);
    heardAt = Date.now();
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    ended,
    get seen() {
      return seen;
    },
    /** Waits for a text that was not there before, and until nothing more is drawn, then presses. */
    async press(keys: string, after: string, calmMs = 600) {
      await until(() => seen.includes(after) && Date.now() - heardAt >= calmMs);
      seen = "";
      child.stdin.write(keys);
    },
  };
}

test.runIf(hasTerminal)(
  "[K82] [K79] watch in a terminal resumes unfinished work, answers a question by two presses, and leaves with q",
  async () => {
    const dir = team();
    await colloquy(dir, "new", "--title", "Orders API", "Build orders");
    const tty = inTty(dir, ["watch"], { columns: 100, rows: 24 });
    await tty.press("2", "Which database for orders?", 800);
    await tty.press("2", "again or Enter sends");
    await tty.press("q", "continues", 1_000);
    expect(await tty.ended).toBe(0);
    expect((await colloquy(dir, "show", "@")).stdout).toContain("All is done. The schema is for SQLite.");
    expect((await colloquy(dir, "questions")).stdout).toBe("");
  },
);

test.runIf(hasTerminal && !isServed)("[K82] watch resumes an earlier process's work, and starts dialogs", async () => {
  const dir = team(
    'rules: [{ when: { text: slow }, do: [{ wait: 300ms }, { say: slowly done }] }, { do: { say: "I heard: {{text}}" } }]\n',
  );
  await colloquy(dir, "new", "--timeout", "1ms", "slow");
  const tty = inTty(dir, ["watch"], { columns: 80, rows: 20 });
  await tty.press("n", "slow");
  await tty.press("Say hi\r", "new dialog ›", 100);
  await until(() => tty.seen.includes("Say hi"));
  await tty.press("q", "Say hi", 1_000);
  expect(await tty.ended).toBe(0);
  expect((await colloquy(dir, "show", "slow")).stdout).toContain("slowly done");
  expect((await colloquy(dir, "show", "Say hi")).stdout).toContain("I heard: Say hi");
});

test.runIf(hasTerminal)("[K58] answer in a terminal shows the question and asks; what was typed before is not taken", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const tty = inTty(dir, ["answer", "@"], { columns: 100, rows: 30 });
  await tty.press("\r\r", "Or in your own words.", 0);
  await tty.press("\u001B[B\r", "Your choice", 300);
  expect(await tty.ended).toBe(0);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("All is done. The schema is for SQLite.");
  expect(readFileSync(join(dir, ".dialogs/shown"), "utf8")).toMatch(/^[0-9a-f]{32} /);
});

test.runIf(hasTerminal)("[K58] a digit goes to the choice of that number, and the same one again sends it", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const tty = inTty(dir, ["answer", "@"], { columns: 100, rows: 30 });
  await tty.press("2", "Your choice");
  await tty.press("2", "● 2 SQLite", 0);
  expect(await tty.ended).toBe(0);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("All is done. The schema is for SQLite.");
});

test.runIf(hasTerminal)("[K68] dead asks in a terminal, and No is the answer that Enter gives", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const id =
    (await colloquy(dir, "tree", "@")).stdout
      .split("\n")
      .find((line) => line.includes("\tcoder\t"))
      ?.split("\t")[1] ?? "";
  const tty = inTty(dir, ["dead", id], { columns: 100, rows: 30 });
  await tty.press("\r", "This cannot be undone.");
  expect(await tty.ended).toBe(1);
  expect((await colloquy(dir, "tree", "@")).stdout).not.toContain("\tdead\t");
});
