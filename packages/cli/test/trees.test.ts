import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { widthOf } from "../src/terminal/width.ts";
import { colloquy, inTerminal, isServed, ownTest, start, until } from "./support.ts";
import { team } from "./team.ts";

const shortIds = async (dir: string) => {
  const lines = (await colloquy(dir, "tree", "@")).stdout.trimEnd().split("\n");
  const idOf = (kind: string, name: string) =>
    lines.map((line) => line.split("\t")).find((fields) => fields[2] === kind && fields[3] === name)?.[1] ?? "";
  return {
    lead: idOf("dialog", "lead"),
    coder: idOf("dialog", "coder"),
    reviewer: idOf("dialog", "reviewer"),
    question: idOf("question", "coder"),
  };
};

test("[K64] tree: who waits for whom, what was asked back, who has answered, and what everything waits for", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const { lead, coder, reviewer, question } = await shortIds(dir);
  const lines = (await inTerminal(dir, ["tree", "@"])).out.split("\n");
  expect(lines[0]).toMatch(new RegExp(`^◐ lead  Orders API +${lead}   waits for coder$`));
  expect(lines[1]).toMatch(new RegExp(`^├─◆ coder  schema \\(session\\) +${coder}   waits for you ↓$`));
  expect(lines[2]).toMatch(new RegExp(`^│  ├─◆ Which database for orders\\? +${question}   now$`));
  expect(lines[3]).toMatch(/^│ {2}└─✓ lead {2}\(asked back: "Soft delete\?"\) +answered in 0\.\d s$/);
  expect(lines[4]).toMatch(new RegExp(`^└─✓ reviewer  "Review the draft" +${reviewer}   answered now$`));
  expect(lines[5]).toBe(`everything waits for: you → ${question}`);
  await colloquy(dir, "answer", "@", "--choice", "1");
  expect((await inTerminal(dir, ["tree", "@"])).out).toMatch(/\nnothing is open\n$/);
});

test("[K65] many answered branches are folded", async () => {
  const asks = Array.from({ length: 14 }, (_, nth) => `{ recipient: reviewer, prompt: "Part ${nth + 1}" }`).join(", ");
  const dir = team(`rules:
  - { when: { agent: lead, step: 1 }, do: { call: { tool: delegate, input: { wait: all, delegations: [${asks}] } } } }
  - { do: { say: ok } }
`);
  await colloquy(dir, "new", "hi");
  const folded = (await inTerminal(dir, ["tree", "@"])).out;
  expect(folded).toContain("├─… 9 more who have answered (--all)\n");
  expect(folded.split("\n")).toHaveLength(1 + 1 + 5 + 1 + 1);
  expect((await inTerminal(dir, ["tree", "@", "--all"])).out.match(/"Part \d+"/g)).toHaveLength(14);
});

test("[K66] ls says who a dialog waits for", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  expect((await inTerminal(dir, ["ls"])).out).toMatch(/◆ {2}[0-9a-f]{6} {2}Orders API +lead +waits for you via coder/);
  expect((await colloquy(dir, "ls", "--status", "asking")).stdout).toMatch(/\twaits for you via coder\t/);
  const { coder, lead } = await shortIds(dir);
  await colloquy(dir, "stop", coder);
  expect((await inTerminal(dir, ["tree", lead])).out).toMatch(
    new RegExp(`everything waits for: you → [0-9a-f]{6}; coder, who is stopped → colloquy resume ${coder}`),
  );
  await colloquy(dir, "dismiss", lead);
  expect((await inTerminal(dir, ["ls"])).out).toMatch(/◐ {2}[0-9a-f]{6} {2}Orders API +lead +waits for coder/);
  const sent = await colloquy(dir, "send", lead, "--wait", "hi");
  expect(sent).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      new RegExp(`^Lead waits for Coder: .*\\nIt waits for coder, whose dialog ${coder} is stopped. Resume: colloquy resume ${coder}\\n$`),
    ),
  });
  expect((await colloquy(dir, "resume", lead)).stderr).toBe(
    `Dialog ${lead} is not stopped; in its tree these are: coder (${coder}). Name one of them.\n`,
  );
});

test("[K67] show: whose side dialog it is, its session, and what is open", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const { coder, lead, question } = await shortIds(dir);
  await colloquy(dir, "remind", coder, "add", "Ids are UUIDs");
  await colloquy(dir, "send", coder, "Keep ids short");
  const { out } = await inTerminal(dir, ["show", coder]);
  expect(out).toMatch(
    new RegExp(
      `^coder · Design the schema for orders +${coder}\nside dialog of lead \\(${lead}\\), session coder!schema\n◆ waits for you since \\d\\d:\\d\\d   course 1 · `,
    ),
  );
  expect(out).toContain(`reminders 1 · open asks 0 · questions 1 (${question}) · queued messages 1\n  reminder 1: Ids are UUIDs\n`);
  expect(out).toContain(`◆ Which database for orders?   → answer ${question}\n`);
  expect(out).toMatch(/you {7}\(waiting to be read\) Keep ids short\n/);
  const main = (await inTerminal(dir, ["show", lead])).out;
  expect(main).toMatch(/◐ waits for coder since /);
  expect(main).toContain(`sessions: coder!schema (${coder}, busy)`);
  expect(main).toMatch(new RegExp(`waits for coder \\(${coder}\\) "Design the schema for orders" now`));
  const card = (await inTerminal(dir, ["show", question])).out;
  expect(card).toContain("Orders need a home. It is hard to undo.");
  expect(card).toContain("Or in your own words.");
});

test("[K68] dead: refused without --yes if nobody can be asked; waiting dialogs continue", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { coder, lead } = await shortIds(dir);
  expect(await colloquy(dir, "dead", coder)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `Declare coder's dialog ${coder} "Design the schema for orders" dead? This cannot be undone. To do it: colloquy dead ${coder} --yes\n`,
  });
  expect((await colloquy(dir, "dead", lead, "--yes")).stderr).toContain("is a main dialog, which cannot be dead");
  const died = await colloquy(dir, "dead", coder, "--yes");
  expect(died).toMatchObject({ code: 0, stdout: `${coder}\tdead\n` });
  expect((await inTerminal(dir, ["tree", lead])).out).toMatch(new RegExp(`✕ coder .*${coder}   dead\n`));
  expect((await colloquy(dir, "show", lead)).stdout).toContain("(dead) owner declared this dialog of Coder dead.");
  expect((await colloquy(dir, "send", coder, "hi")).stderr).toBe(`Dialog ${coder} was declared dead.\n`);
});

// A server continues meanwhile.
ownTest("[K69] stop --tree follows the assignments, and resume undoes it; --all includes side dialogs", async () => {
  const dir = team(
    'rules: [{ when: { agent: lead, step: 1 }, do: { call: { tool: tellaskSessionless, input: { targetAgentId: coder, tellaskContent: go } } } }, { when: { agent: coder }, do: [{ wait: 300ms }, { say: done }] }, { do: { say: "{{result}}" } }]\n',
  );
  await colloquy(dir, "new", "--timeout", "60ms", "hi");
  const { lead, coder } = await shortIds(dir);
  expect((await colloquy(dir, "stop", lead, "--tree")).stdout).toBe(`${lead}\tstopped\n`);
  expect(
    (await colloquy(dir, "tree", lead)).stdout
      .split("\n")
      .map((line) => line.split("\t")[5])
      .slice(0, 2),
  ).toEqual(["stopped", "stopped"]);
  const resumed = await colloquy(dir, "resume", lead, "--wait");
  expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("done") });

  await colloquy(dir, "send", coder, "--timeout", "30ms", "more");
  expect((await colloquy(dir, "stop", "--all")).stdout).toBe(`${lead}\tstopped\n`);
  expect((await colloquy(dir, "show", coder)).stdout).toContain("■ stopped");
  expect((await colloquy(dir, "resume", "--all")).code).toBe(0);
  expect((await colloquy(dir, "show", coder)).stdout).toMatch(/\tsaid\tcoder\tdone\n[^\n]*\n?.*$/);
  expect(await colloquy(dir, "stop", "--all", "--tree")).toMatchObject({ code: 2 });
});

test("[K86] change-mind shows the Taskdoc and replaces a section", async () => {
  const dir = team();
  const id = (await colloquy(dir, "new", "hello")).stdout.trim();
  expect((await colloquy(dir, "change-mind", "@")).stdout).toBe("## goals\n(empty)\n\n## constraints\n(empty)\n\n## progress\n(empty)\n");
  expect((await colloquy(dir, "change-mind", id, "goals", "Sell", "shoes")).stdout).toContain("## goals\nSell shoes\n");
  const shown = JSON.parse((await colloquy(dir, "--json", "change-mind", "@")).stdout) as {
    path: string;
    sections: Record<string, { text: string }>;
  };
  expect(shown.sections["goals"]?.text.trim()).toBe("Sell shoes");
  expect(readFileSync(join(dir, shown.path, "goals.md"), "utf8").trim()).toBe("Sell shoes");
  expect(await colloquy(dir, "change-mind", "@", "dreams", "x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("goals | constraints | progress"),
  });
});

test("[K70] clear-mind starts a new course; reminders are added, changed, listed and deleted", async () => {
  const dir = team();
  const id = (await colloquy(dir, "new", "hello")).stdout.trim();
  expect((await colloquy(dir, "clear-mind", "@", "--reminder", "Ids are UUIDs")).stdout).toBe(`${id}\tcourse\t2\n`);
  expect((await colloquy(dir, "remind", "@", "add", "Be", "brief")).stdout).toBe("1\tIds are UUIDs\n2\tBe brief\n");
  expect((await colloquy(dir, "remind", "@", "update", "2", "Be kind")).stdout).toBe("1\tIds are UUIDs\n2\tBe kind\n");
  expect((await inTerminal(dir, ["remind", "@", "delete", "1"])).out).toBe("2  Be kind\n");
  expect((await colloquy(dir, "remind", "@")).stdout).toBe("2\tBe kind\n");
  expect(await colloquy(dir, "remind", "@", "delete", "7")).toMatchObject({ code: 3, stderr: "There is no reminder 7. There are: 2.\n" });
  for (const wrong of [["drop", "1"], ["update", "x"], ["update", "2"], ["delete"], ["add"]])
    expect(await colloquy(dir, "remind", "@", ...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining("add TEXT") });
  expect((await colloquy(dir, "show", "@")).stdout).toContain("── course 2: a clear mind ──");
  expect((await colloquy(dir, "send", "@", "--wait", "still there?")).stdout).toBe("lead heard: still there?\n");
});

const SLOW = `rules:
  - { when: { agent: lead, step: 1 }, times: 1, do: { call: { tool: tellaskSessionless, input: { targetAgentId: coder, tellaskContent: go } } } }
  - { when: { agent: coder, step: 1 }, do: { call: { tool: write_file, input: { path: first.txt, content: x } } } }
  - { when: { agent: coder, step: 2 }, do: [{ wait: 60s }, { say: "Coder is done." }] }
  - { when: { agent: lead, text: more }, do: { say: "And more." } }
  - { do: { say: "{{text}}" } }
`;

ownTest(
  "[K71] killed while a side dialog works: the main dialog is shown as interrupted, and resume or send continue the tree",
  async () => {
    for (const goOn of [
      ["resume", "@", "--wait"],
      ["send", "@", "--wait", "more"],
    ]) {
      const dir = team(SLOW);
      const running = start(dir, ["new", "hi"]);
      await until(() => existsSync(join(dir, "first.txt")));
      running.kill("SIGKILL");
      await running.ended;
      writeFileSync(join(dir, "scripts/play.yaml"), SLOW.replace("60s", "1ms"));
      expect((await inTerminal(dir, ["tree", "@"])).out).toMatch(
        /◇ coder .*\n(.*\n)?left in the middle: coder → colloquy resume [0-9a-f]{6}\n$/,
      );
      expect((await colloquy(dir, ...goOn)).code).toBe(0);
      expect((await colloquy(dir, "show", "@")).stdout).toContain("\tanswer\tcoder\tCoder is done.");
    }
  },
);

test("[K71] killed with a question open: nothing is lost, and the answer resumes the work", async () => {
  const dir = team();
  const running = start(dir, ["chat"], { input: "" });
  await running.ended;
  const asking = start(dir, ["new", "Build orders"]);
  await asking.says("answer: colloquy answer");
  asking.kill("SIGKILL");
  await asking.ended;
  expect((await colloquy(dir, "answer", "@", "--choice", "2", "--wait")).stdout).toBe("All is done. The schema is for SQLite.\n");
});

test("[K72] several busy agents are shown one after the other, with a line for each ask and question", async () => {
  const dir = team(`speed: 2000
rules:
  - { when: { agent: lead, step: 1 }, do: [{ say: "Both at once." }, { call: { tool: delegate, input: { wait: all, delegations: [{ recipient: coder, prompt: "Write it" }, { recipient: reviewer, prompt: "Read it" }] } } }] }
  - { when: { agent: coder }, do: [{ wait: 30ms }, { say: "one two three four five six seven eight nine ten" }] }
  - { when: { agent: reviewer }, do: [{ wait: 30ms }, { say: "eins zwei drei vier sechs sieben acht neun zehn" }] }
  - { do: { say: "Together." } }
`);
  const { err } = await inTerminal(dir, ["new", "hi"]);
  expect(err).toContain("lead      Both at once.\n          → coder: Write it\n          → reviewer: Read it\n");
  expect(err).toContain("one two three four five six seven eight nine ten\n");
  expect(err).toContain("eins zwei drei vier sechs sieben acht neun zehn\n");
  expect(err.trimEnd()).toMatch(/lead {6}Together\.$/);
  const asked = await inTerminal(team(), ["new", "Build orders"]);
  expect(asked).toMatchObject({ code: 4 });
  expect(asked.err).toMatch(/coder {5}.*→ lead \(asks back\): Soft delete\?\n/);
  expect(asked.err).toMatch(/ {10}◆ Which database for orders\?\n/);
});

test("[K1] colloquy alone: open questions first, with the command that answers", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  await colloquy(dir, "new", "hello");
  const { question } = { question: JSON.parse((await colloquy(dir, "questions", "--json")).stdout).questions[0].id.slice(-6) as string };
  const lines = (await inTerminal(dir, [])).out.split("\n");
  // With a server, the address of its page.
  const end = isServed ? /http:\/\/127\.0\.0\.1:\d+$/ : /team: lead, coder, reviewer$/;
  expect(lines[0]).toMatch(new RegExp(` · 1 waits for you, 1 idle · ${end.source}`));
  expect(lines[1]).toMatch(new RegExp(`^  ◆  ${question}  Which database for orders\\? +Coder +1 waits behind it +now$`));
  expect(lines[2]).toMatch(/^ {2}○ {2}[0-9a-f]{6} {2}hello /);
  expect(lines[3]).toMatch(new RegExp(`^answer: colloquy answer ${question}    look: colloquy tree [0-9a-f]{6} `));
  expect(readFileSync(join(dir, ".dialogs/last"), "utf8")).toMatch(/^[0-9a-f]{32}\n$/);
});

test.each([44, 60, 80])("[K17] no line of a list is wider than a terminal of %i columns", async (columns) => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API, version two, with everything that was asked for", "Build orders");
  await colloquy(dir, "ask-back", "@", "How many writers?");
  for (const words of [[], ["ls"], ["questions"], ["log", "@"], ["models"], ["agents"], ["usage"], ["show", "@"], ["tree", "@"]]) {
    const { out } = await inTerminal(dir, words, { columns });
    expect(out.split("\n").filter((line) => widthOf(line) > columns)).toEqual([]);
  }
});
