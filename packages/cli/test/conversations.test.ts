import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { colloquy, inTerminal } from "./support.ts";
import { team } from "./team.ts";

const ECHO = `rules:
  - { when: { agent: coder, step: 1, text: ask }, times: 1, do: { call: { tool: askHuman, input: { tellaskContent: "Which one?" } } } }
  - { do: { say: "{{agent}} heard: {{text}}" } }
`;

test("[J50] agents are mentioned in the text or by option, one after the other", async () => {
  const dir = team(ECHO);
  expect(await colloquy(dir, "new", "--wait", "@reviewer hello")).toMatchObject({ code: 0, stdout: "reviewer heard: @reviewer hello\n" });
  expect(await colloquy(dir, "send", "@", "--wait", "--mention", "lead, coder", "and you?")).toMatchObject({
    stdout: "coder heard: [Lead]: lead heard: and you?\n",
  });
  const rows = (await colloquy(dir, "show", "@")).stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t").slice(1));
  expect(rows.slice(-3)).toEqual([
    ["message", "you", "and you?"],
    ["said", "lead", "lead heard: and you?"],
    ["said", "coder", "coder heard: [Lead]: lead heard: and you?"],
  ]);
  expect(await colloquy(dir, "send", "@", "--mention", "-", "for the record")).toMatchObject({ code: 0, stdout: "" });
  expect((await colloquy(dir, "show", "@")).stdout.trimEnd().split("\n").at(-1)).toContain("for the record");
  expect(await colloquy(dir, "send", "@", "@tester hello")).toMatchObject({
    code: 3,
    stderr: 'There is no agent "tester". The team: lead, coder, reviewer.\n',
  });
});

test("[J50] [J52] a busy agent: its activity is printed; --now lets it speak while it waits; show says who does what", async () => {
  const dir = team(ECHO);
  await colloquy(dir, "new", "--agent", "lead", "@coder ask");
  const sent = await colloquy(dir, "send", "@", "@coder how far?");
  expect(sent.stderr).toMatch(/^Coder waits for a person: "Which one\?" \(\d+ s\)\. It reads your message when that is answered; /);
  const json = JSON.parse((await colloquy(dir, "send", "@", "--json", "--mention", "coder", "and now?")).stdout);
  expect(json).toMatchObject({ ack: expect.stringContaining("Coder waits for a person") });
  const now = await colloquy(dir, "send", "@", "--now", "@coder now!");
  expect(now.stderr).toContain("It reads your message now.");
  await colloquy(dir, "send", "@", "@coder later");
  await colloquy(dir, "send", "@", "@lead hi");
  const { out } = await inTerminal(dir, ["show", "@"]);
  expect(out).toMatch(/\n {2}coder waiting · 1 queued · [\d.]+ s of work\n/);
  expect(out).toMatch(/\n {2}lead idle · [\d.]+ s of work\n/);
  expect(out).toContain("(waiting to be read) @coder later");
  expect(out).not.toContain("(waiting to be read) @lead hi");
  expect((await colloquy(dir, "send", "@", "--now", "--interrupt", "x")).code).toBe(2);
});

test("[J51] [J52] phase: set, refused with the allowed ones, handed on", async () => {
  const dir = team(ECHO);
  await colloquy(dir, "new", "hello");
  expect(await colloquy(dir, "phase", "@", "chores")).toMatchObject({
    code: 1,
    stderr: "From chat the phase cannot become chores. Allowed: brainstorm, plan, execute.\n",
  });
  expect(await colloquy(dir, "phase", "@", "lunch")).toMatchObject({ code: 2, stderr: expect.stringContaining("chat, brainstorm, plan") });
  expect((await colloquy(dir, "phase", "@", "plan", "--why", "it is clear")).stdout).toMatch(/^[0-9a-f]{6}\tphase\tplan\n$/);
  expect((await colloquy(dir, "phase", "@", "plan")).stderr).toContain("give a summary");
  await colloquy(dir, "phase", "@", "plan", "--summary", "A it is.");
  const { out } = await inTerminal(dir, ["show", "@"]);
  expect(out).toMatch(/idle since .* plan · course 1 · /);
  expect(out).toContain("  summary: A it is.\n");
  expect(out).toContain("── plan ── it is clear");
});

test("[J47] [J50] a message can include an image", async () => {
  const dir = team(ECHO);
  writeFileSync(join(dir, "shot.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
  writeFileSync(join(dir, "notes.txt"), "no picture");
  await colloquy(dir, "new", "--image", "shot.png", "hello");
  expect((await colloquy(dir, "show", "@")).stdout).toMatch(/hello \[[0-9a-f]{32}\.png\]\n/);
  expect((await colloquy(dir, "send", "@", "--image", "shot.png", "what is this?")).code).toBe(0);
  expect((await colloquy(dir, "show", "@")).stdout).toMatch(/what is this\? \[[0-9a-f]{32}\.png\]\n/);
  expect((await colloquy(dir, "send", "@", "--image", "notes.txt", "and this?")).stderr).toContain("That is not an image.");
  expect(await colloquy(dir, "send", "@", "--image", "none.png", "and this?")).toMatchObject({ code: 2 });
});
