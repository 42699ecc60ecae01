import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, folder } from "./support.ts";

const SETTINGS = `defaults: { model: scripted/play }
autonomy: { scopeChanges: automated }
agents:
  lead: { name: Lead, role: "You lead.", tools: [shell], default: true }
`;
const SCRIPT = JSON.stringify({
  rules: [
    { when: { result: "run_command" }, do: { say: "It ran." } },
    { when: { step: 1, text: "/^run (?<what>.*)/" }, do: [{ call: { tool: "run_command", input: { command: "{{match.what}}" } } }] },
  ],
});

const shop = () => folder({ "colloquy.yaml": SETTINGS, "scripts/play.yaml": SCRIPT, "notes.txt": "one\n" });
const notes = (dir: string) => readFileSync(join(dir, "notes.txt"), "utf8");

async function ran(dir: string, command: string): Promise<string> {
  const { code, stdout, stderr } = await colloquy(dir, "new", `run ${command}`, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  const [id = ""] = /[0-9a-f]{32}/.exec(stdout) ?? [];
  const log = await colloquy(dir, "log", id, "--json");
  const [, call = ""] = /"type":"call\.ran".*?"call":"([0-9a-f]{32})"/.exec(log.stdout) ?? [];
  expect(call).not.toBe("");
  return call;
}

test("[K130] undo reverts a command's changes, by its id or last digits", async () => {
  const dir = shop();
  const call = await ran(dir, "echo two > notes.txt; echo new > new.txt");
  expect(notes(dir)).toBe("two\n");
  expect(await colloquy(dir, "undo", call.slice(-6))).toEqual({ code: 0, stdout: "notes.txt\tundone\nnew.txt\tundone\n", stderr: "" });
  expect(notes(dir)).toBe("one\n");
  const again = await colloquy(dir, "undo", call);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("was already undone")]);
});

test("[K130] undo names the conflict and what to do, and changes nothing", async () => {
  const dir = shop();
  const first = await ran(dir, "echo two > notes.txt");
  const second = await ran(dir, "echo three > notes.txt");
  const refused = await colloquy(dir, "undo", first);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`notes.txt: changed since by a later command, ${second}`);
  expect(refused.stderr).toContain(`colloquy undo ${second}`);
  expect(notes(dir)).toBe("three\n");
  expect((await colloquy(dir, "undo", second)).code).toBe(0);
  writeFileSync(join(dir, "notes.txt"), "mine\n");
  expect((await colloquy(dir, "undo", first)).stderr).toContain("notes.txt: changed since\n");
  expect(notes(dir)).toBe("mine\n");
});

test("[K130] an unknown call lists what can be undone; without one, the usage is printed", async () => {
  const dir = shop();
  const call = await ran(dir, "echo two > notes.txt");
  const unknown = await colloquy(dir, "undo", "ffffff");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining(`${call}  lead: notes.txt`)]);
  const none = await colloquy(dir, "undo");
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("colloquy undo CALL")]);
});
