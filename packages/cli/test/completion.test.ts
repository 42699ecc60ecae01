import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { commandTable } from "../src/line/command-table.ts";
import { colloquy, folder } from "./support.ts";

test.each(["bash", "zsh", "fish"])("[K84] completion %s knows every command and option", async (shell) => {
  const { code, stdout } = await colloquy(folder(), "completion", shell);
  expect(code).toBe(0);
  for (const { name, load } of commandTable) {
    expect(stdout).toContain(name);
    for (const [option, { notBuiltYet }] of Object.entries((await load()).options)) {
      if (!notBuiltYet) expect(stdout).toMatch(new RegExp(`(?:--|-l )${option}\\b`));
    }
  }
  const program = `/usr/bin/${shell}`;
  if (existsSync(program)) execFileSync(program, ["-n"], { input: stdout });
});

test.runIf(existsSync("/bin/bash"))("[K84] bash completes commands, and the options of the typed command", async () => {
  const { stdout: script } = await colloquy(folder(), "completion", "bash");
  const complete = (...words: readonly string[]) =>
    execFileSync(
      "/bin/bash",
      ["-c", `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _colloquy; printf '%s\\n' "\${COMPREPLY[@]}"`, "bash", ...words],
      { encoding: "utf8" },
    )
      .trim()
      .split("\n");
  expect(complete("colloquy", "que")).toEqual(["questions"]);
  expect(complete("colloquy", "-C", "/tmp", "ask-")).toEqual(["ask-back"]);
  expect(complete("colloquy", "answer", "4be1d0", "--ch")).toEqual(["--choice"]);
  expect(complete("cq", "--js")).toEqual(["--json"]);
});
