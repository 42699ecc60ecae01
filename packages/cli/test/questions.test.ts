import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { defineAgent, defineTool, openProject, type QuestionView } from "@colloquy/library";
import { expect, test } from "vitest";
import { z } from "zod";
import { widthOf } from "../src/terminal/width.ts";
import { colloquy, ended, folder, inTerminal, ownTest, write } from "./support.ts";
import { team } from "./team.ts";

interface Node {
  readonly selfId: string;
  readonly agentId: string;
  readonly children: readonly Node[];
}

const questionsIn = async (dir: string): Promise<readonly QuestionView[]> =>
  (JSON.parse((await colloquy(dir, "questions", "--json")).stdout) as { questions: QuestionView[] }).questions;

const ids = async (dir: string) => {
  const { tree } = JSON.parse((await colloquy(dir, "tree", "@", "--json")).stdout) as { tree: Node };
  const coder = tree.children.find(({ agentId }) => agentId === "coder")?.selfId ?? "";
  const [question] = await questionsIn(dir);
  return { main: tree.selfId, coder, question: question?.id ?? "" };
};

test("[K54] [K9] a question: exit code 4, the card on standard error, and the command that answers", async () => {
  const dir = team();
  const { code, stdout, stderr } = await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const { question } = await ids(dir);
  expect({ code, stdout }).toEqual({ code: 4, stdout: expect.stringMatching(/^[0-9a-f]{6}\n$/) });
  expect(stderr).toContain(`${question.slice(-6)}  ◆ Which database for orders?\n          Coder · Orders API · now · 1 waits\n`);
  expect(stderr).toContain("Orders need a home. It is hard to undo.");
  expect(stderr).toMatch(new RegExp(`\nanswer: colloquy answer ${question.slice(-6)} --choice 1\n$`));
  const waited = await colloquy(dir, "send", "@", "--wait", "--json", "Hurry");
  expect(waited.code).toBe(4);
  expect(JSON.parse(waited.stdout)).toMatchObject({ state: "waiting", questions: [{ id: question, status: "open" }] });
});

test("[K57] [K52] answer by number, from 1 as printed; the tree continues, and the main dialog's answer is printed", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { question } = await ids(dir);
  const answered = await colloquy(dir, "answer", question.slice(-6), "--choice", "2", "--wait");
  expect(answered).toEqual({ code: 0, stdout: "All is done. The schema is for SQLite.\n", stderr: "" });
  expect(await questionsIn(dir)).toEqual([]);
  expect((await colloquy(dir, "show", "@")).stdout).toContain("\tanswer\tcoder\tThe schema is for SQLite.");
});

test("[K57] [K52] answer by label, with words, from standard input, or by the dialog that asks", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const byLabel = await colloquy(dir, "answer", "@", "--choice", "SQLite", "--wait", "but soon");
  expect(byLabel.stdout).toBe("All is done. The schema is for SQLite — but soon.\n");
  await colloquy(dir, "new", "Build orders");
  const { stdout } = await ended(dir, ["answer", "@", "-", "--wait"], { input: "Paper" });
  expect(stdout).toBe("All is done. The schema is for Paper.\n");
  expect(await colloquy(dir, "answer", "@", "--choice", "1")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("has no open question"),
  });
});

test("[K19] before any dialog was used, @ refers to no question, and the open ones are listed", async () => {
  const dir = team();
  expect(await colloquy(dir, "answer", "@", "Paper")).toMatchObject({ code: 3, stderr: expect.stringContaining("No question is open.") });
  for (const title of ["One", "Two"]) await colloquy(dir, "new", "--title", title, "Build orders");
  rmSync(join(dir, ".dialogs/last"));
  const asked = (await questionsIn(dir)).map(({ id }) => id.slice(-6));
  const stderr = `@ refers to the last dialog you used; there is none yet. Open: ${asked.join(", ")}.\n`;
  expect(await colloquy(dir, "answer", "@", "Paper")).toEqual({ code: 3, stdout: "", stderr });
});

test("[K57] several choices if allowed, and only then", async () => {
  const script = (multiple: boolean) => `rules:
  - { when: { step: 1 }, do: { call: { tool: askHuman, input: { headline: Which?, tellaskContent: "Which?", multiple: ${multiple}, options: [red, green, blue] } } } }
  - { do: { say: "{{text}}" } }
`;
  const many = team(script(true));
  await colloquy(many, "new", "hi");
  expect((await colloquy(many, "answer", "@", "--choice", "1", "--choice", "3", "--wait")).stdout).toBe("owner answered: red, blue\n");
  const one = team(script(false));
  await colloquy(one, "new", "hi");
  expect(await colloquy(one, "answer", "@", "--choice", "1", "--choice", "3")).toMatchObject({
    code: 1,
    stderr: "Only one of the choices is allowed here.\n",
  });
  expect(await colloquy(one, "answer", "@", "--choice", "4")).toMatchObject({
    code: 2,
    stderr: "There is no choice 4. There are: 1 red, 2 green, 3 blue.\n",
  });
});

test("[K58] without a choice or text, a pipe gets the list of choices", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { code, stderr } = await colloquy(dir, "answer", "@");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Choose or say: colloquy answer [0-9a-f]{6} --choice 1, or "…"\. The choices: 1 PostgreSQL, 2 SQLite\.\n$/);
});

test("[K55] [K56] questions: as drawn, wide and narrow", async () => {
  const dir = team();
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  const { question } = await ids(dir);
  const id = question.slice(-6);
  for (const name of ["questions", "inbox", "q"]) {
    expect((await inTerminal(dir, [name], { columns: 110 })).out).toBe(
      [
        `${id}  ◆ Which database for orders?   Coder · Orders API · now · 1 waits`,
        "          1  PostgreSQL   + transactions, we run it   − a server     (recommended)",
        "          2  SQLite       + nothing to run            − one writer",
        `answer: colloquy answer ${id} --choice 1`,
        "",
      ].join("\n"),
    );
  }
  const narrow = (await inTerminal(dir, ["questions"], { columns: 50 })).out;
  expect(narrow).toContain("          1  PostgreSQL  (recommended)\n             + transactions, we run it\n             − a server\n");
  for (const line of narrow.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(50);
  expect((await colloquy(dir, "questions")).stdout).toMatch(
    new RegExp(
      `^${id}\tquestion\tWhich database for orders\\?\tcoder\tOrders API\t2\\d{3}-[^\t]*Z\t\t1\t1 PostgreSQL; 2 SQLite\topen\t\n$`,
    ),
  );
});

test("[K55] --all includes closed questions, and an empty inbox says so", async () => {
  const dir = team();
  expect((await inTerminal(dir, ["questions"])).out).toMatch(/^No questions\. When an agent needs a decision, it appears here\./);
  await colloquy(dir, "new", "--title", "Orders API", "Build orders");
  await colloquy(dir, "answer", "@", "--choice", "1");
  expect((await inTerminal(dir, ["questions"])).out).toBe("Nothing is waiting for you.\n");
  expect((await inTerminal(dir, ["questions", "--all"])).out).toMatch(
    /✓ Which database for orders\?.*\n? *.*answered by you at \d\d:\d\d: "PostgreSQL"/,
  );
});

test("[K55] a question shows its deadline and what happens then", async () => {
  const dir = team(`rules:
  - { when: { step: 1 }, do: { call: { tool: askHuman, input: { headline: "Now?", tellaskContent: "Now?", deadline: 3h, otherwise: "no", options: ["yes", "no"] } } } }
  - { do: { say: "{{text}}" } }
`);
  await colloquy(dir, "new", "hi");
  expect((await inTerminal(dir, ["questions"])).out).toMatch(/◆ Now\? .* · due \d\d:\d\d, else no/);
});

test("[K55] [K27] [K54] a limit asks with !, a fault stops with exit code 1 and is in the inbox with its reason", async () => {
  const dir = team("rules: [{ do: [{ say: more }, { call: { tool: list_dir } }] }]\n", { "a.txt": "a" });
  write(dir, { "colloquy.yaml": `${readFileSync(join(dir, "colloquy.yaml"), "utf8")}limits: { stepsPerTurn: 1 }\n` });
  const limited = await colloquy(dir, "new", "--title", "Long", "hi");
  expect(limited.code).toBe(4);
  expect(limited.stderr).toMatch(/! "Long" has reached limits\.stepsPerTurn: 1 of 1\. How\s+much\s+more\s+may\s+be\s+used\?/);
  expect((await inTerminal(dir, ["questions"])).out).toMatch(/1 {2}\+50\n +2 {2}\+200\n +3 {2}Stop\n/);
  expect((await colloquy(dir, "answer", "@", "--choice", "3")).code).toBe(1);

  const broken = team(
    'rules: [{ when: { agent: lead, step: 1 }, do: { call: { tool: tellaskSessionless, input: { targetAgentId: coder, tellaskContent: go } } } }, { when: { agent: coder }, do: { fail: { code: wrong_key, message: "The key is wrong." } } }]\n',
  );
  const failed = await colloquy(broken, "new", "hi");
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^The key is wrong\.\nDialog [0-9a-f]{6} is stopped; nothing was lost\./),
  });
  const inbox = (await inTerminal(broken, ["questions"])).out;
  expect(inbox).toMatch(/! "go" is stopped .*\n {10}The key is wrong\.\n/);
  expect(inbox).toMatch(/1 {2}Resume\n +2 {2}Give up\ncontinue: colloquy answer [0-9a-f]{6} --choice 1\n/);
  expect((await inTerminal(broken, ["ls"])).out).toMatch(/coder is stopped/);
});

test("[S13] [K27] when the day's budget is spent, every waiting command names the question that decides", async () => {
  const dir = team("rules: [{ do: { say: hello } }]\n");
  write(dir, {
    "colloquy.yaml": `${readFileSync(join(dir, "colloquy.yaml"), "utf8").replace(/^defaults:.*$/m, "defaults: { model: dear }")}
models: { dear: { provider: scripted, id: play, price: { input: 1000, output: 1000 } } }
limits: { costPerDay: 0.001 }
`,
  });
  expect((await colloquy(dir, "new", "one")).code).toBe(0);
  for (const name of ["two", "three"]) {
    const held = await colloquy(dir, "new", name);
    expect(held.code).toBe(4);
    expect(held.stderr).toMatch(/! The project has reached limits\.costPerDay/);
  }
  const [question] = await questionsIn(dir);
  expect((await colloquy(dir, "answer", question?.id ?? "", "--choice", "No more today")).code).toBe(1);
  const held = await colloquy(dir, "send", "@", "and now?");
  expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining("limits.costPerDay is spent. It resumes by itself at 2") });
});

test("[K52] digits of either end name a side dialog or a question; a question refers to the dialog that asked it", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { coder, question, main } = await ids(dir);
  for (const name of [coder, coder.slice(-6), coder.slice(0, 31)])
    expect((await inTerminal(dir, ["show", name])).out).toMatch(/^coder · Design the schema/);
  expect((await colloquy(dir, "log", question.slice(-6))).stdout).toContain('"type":"question.asked"');
  expect((await colloquy(dir, "log", question.slice(-6))).stdout).not.toContain(`"dialog":"${main}"`);
  expect((await inTerminal(dir, ["tree", question.slice(-8)])).out).toContain("everything waits for");
  expect((await inTerminal(dir, ["show", question.slice(-6, -1)])).out).toContain("Which database for orders?");
  expect(await colloquy(dir, "answer", "ffffff", "hi")).toMatchObject({
    code: 3,
    stderr: 'There is no question "ffffff". colloquy questions lists them.\n',
  });
  expect((await colloquy(dir, "answer", question.slice(-6, -1), "--choice", "1")).code).toBe(0);
});

test("[K53] a side dialog accepts messages, and is read, stopped and resumed like any other", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  await colloquy(dir, "answer", "@", "--choice", "1");
  const { coder } = await ids(dir);
  const id = coder.slice(-6);
  expect((await colloquy(dir, "send", id, "--wait", "And now?")).stdout).toBe("coder heard: And now?\n");
  expect((await colloquy(dir, "show", "@")).stdout).toContain("\tmessage\tyou\tAnd now?");
  expect((await colloquy(dir, "stop", "@")).stdout).toBe(`${id}\tstopped\n`);
  expect((await colloquy(dir, "send", "@", "Later")).code).toBe(1);
  expect((await colloquy(dir, "resume", "@", "--wait")).stdout).toBe("coder heard: Later\n");
});

test("[K59] a closed question: who answered and when, and the person's text is not lost", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { question, coder } = await ids(dir);
  await colloquy(dir, "answer", question.slice(-6), "--choice", "1");
  expect(await colloquy(dir, "answer", question.slice(-6), "I meant MySQL")).toMatchObject({
    code: 1,
    stderr: `You answered this just now: "PostgreSQL". To say it to Coder as a message: colloquy send ${coder.slice(-6)} "I meant MySQL"\n`,
  });
  expect((await colloquy(dir, "dismiss", question.slice(-6))).stderr).toMatch(
    /^You answered this just now: "PostgreSQL"\. See what became of it: colloquy show /,
  );

  await colloquy(dir, "new", "Build orders");
  const second = await ids(dir);
  await colloquy(dir, "clear-mind", second.coder.slice(-6));
  expect((await colloquy(dir, "answer", second.question, "--choice", "1")).stderr).toMatch(
    /^Coder withdrew this question at \d\d:\d\d \(Its mind was cleared\)\./,
  );
});

test("[K60] [K61] ask back: the reply is printed, the question stays; a question that changed since it was shown is not answered by number", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { question } = await ids(dir);
  const id = question.slice(-6);
  const back = await colloquy(dir, "ask-back", id, "How many writers?");
  expect({ code: back.code, stdout: back.stdout }).toEqual({ code: 0, stdout: "Two writers at most.\n" });
  expect(back.stderr).toContain("── asked back ──\n          you: How many writers?\n          coder: Two writers at most.\n");
  // A person who saw the first version must not hit the second by number.
  const shown = readFileSync(join(dir, ".dialogs/shown"), "utf8");
  await colloquy(dir, "ask-back", id, "Is there a better one?");
  write(dir, { ".dialogs/shown": shown });
  expect(await colloquy(dir, "answer", id, "--choice", "1")).toMatchObject({
    code: 1,
    stderr: "The question has changed since you saw it. Look again.\n",
  });
  expect((await inTerminal(dir, ["questions"])).out).toContain("◆ Which one?");
  expect((await colloquy(dir, "answer", id, "--choice", "1", "--wait")).stdout).toBe("All is done. The schema is for MySQL.\n");
});

test("[K62] dismiss tells the agent why, and it continues", async () => {
  const dir = team();
  await colloquy(dir, "new", "Build orders");
  const { code, stdout } = await colloquy(dir, "dismiss", "@", "--why", "Take the simplest", "--wait");
  expect(code).toBe(0);
  expect(stdout).toContain("I decided myself:");
  expect(stdout).toContain("Take the simplest");
});

const REFUND = `rules:
  - { when: { text: refund }, times: 1, do: [{ say: "I pay." }, { call: { tool: refund, input: { order: "1042" } } }] }
  - { when: { text: refund again }, do: { call: { tool: refund, input: { order: "1043" } } } }
  - { do: { say: "So: {{text}}" } }
`;

/** A team with a tool in code that needs approval, and what was paid. */
async function refunds() {
  const dir = folder({ "colloquy.yaml": "defaults: { model: scripted/play }\n", "scripts/play.yaml": REFUND });
  const paid: string[] = [];
  const refund = defineTool({
    name: "refund",
    description: "Pays back.",
    input: z.object({ order: z.string() }),
    approval: () => "Money leaves the house.",
    run: ({ order }) => (paid.push(order), `paid ${order}`),
  });
  const clerk = defineAgent({ id: "clerk", name: "Clerk", role: "You pay.", tools: [refund], default: true });
  const work = async (act: (project: Awaited<ReturnType<typeof openProject>>) => Promise<unknown>) => {
    write(dir, { "colloquy.yaml": "defaults: { model: scripted/play }\n" });
    const project = await openProject({ dir, agents: [clerk], env: {} });
    await act(project);
    await project.close();
    // The command line knows only the files.
    write(dir, {
      "colloquy.yaml": 'defaults: { model: scripted/play }\nagents: { clerk: { name: Clerk, role: "You pay.", tools: [files] } }\n',
    });
  };
  await work(async (project) => project.dialogs.quiet((await project.dialogs.create({ content: "refund 1042", title: "Order 1042" })).id));
  return { dir, paid, work };
}

test("[K55] [K62] an approval shows what will run; denied, it doesn't run and the agent is told why", async () => {
  const { dir, paid } = await refunds();
  const [question] = await questionsIn(dir);
  const id = question?.id.slice(-6) ?? "";
  const { out } = await inTerminal(dir, ["questions"]);
  expect(out).toMatch(new RegExp(`^${id}  ⛨ Run refund \\{"order":"1042"\\} +Clerk · Order 1042 · now\n {10}Money leaves the house\\.\n`));
  expect(out).toMatch(new RegExp(`\napprove: colloquy approve ${id} {5}deny: colloquy deny ${id}\n$`));
  expect((await inTerminal(dir, [])).out).toContain(`approve: colloquy approve ${id}`);
  expect(await colloquy(dir, "answer", id, "yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${id} is an approval. Decide it: colloquy approve ${id}`),
  });
  const denied = await colloquy(dir, "deny", id, "--why", "Not today", "--wait");
  expect(denied).toMatchObject({ code: 0, stdout: expect.stringContaining("Reason: Not today") });
  expect(paid).toEqual([]);
  expect((await colloquy(dir, "approve", id)).stderr).toMatch(/^You denied this just now: "Not today"\./);
  expect((await inTerminal(dir, ["questions", "--all"])).out).toMatch(/denied by you at \d\d:\d\d: "Not today"/);
});

ownTest("[K63] an approved call runs once, even if its tool returns only later", async () => {
  const { dir, paid, work } = await refunds();
  const approved = await colloquy(dir, "approve", "@");
  expect(approved).toMatchObject({ code: 3 });
  const [question] = await questionsIn(dir);
  const gone = await colloquy(dir, "approve", question?.id.slice(-6) ?? "");
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('It waits for a call of the tool "refund"') });
  await work(async (project) => {
    const [{ rootId } = { rootId: undefined }] = project.dialogs.list();
    if (rootId) await project.dialogs.quiet(rootId);
  });
  expect(paid).toEqual(["1042"]);
});

ownTest("[K63] similar calls: pattern, scope and time; listed and revoked", async () => {
  const { dir, paid, work } = await refunds();
  const [question] = await questionsIn(dir);
  const id = question?.id.slice(-6) ?? "";
  expect(await colloquy(dir, "approve", id, "--for", "project")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--like "refund"'),
  });
  expect(await colloquy(dir, "approve", id, "--for", "world", "--like", "refund")).toMatchObject({
    code: 2,
    stderr: '--for is dialog, task, project, not "world".\n',
  });
  expect(await colloquy(dir, "approve", id, "--until", "2h")).toMatchObject({ code: 2 });
  await colloquy(dir, "approve", id, "--for", "project", "--like", "refund(104*)", "--until", "2h");
  expect((await colloquy(dir, "grants")).stdout).toMatch(new RegExp(`^${id}\trefund\\(104\\*\\)\tproject\towner\t2\\d{3}-.*Z\n$`));
  const [{ rootId } = { rootId: "" }] = (JSON.parse((await colloquy(dir, "ls", "--json")).stdout) as { dialogs: { rootId: string }[] })
    .dialogs;
  await work(async (project) => {
    await project.dialogs.quiet(rootId as never);
    await project.dialogs.send(rootId as never, { content: "refund again" });
    await project.dialogs.quiet(rootId as never);
  });
  expect(paid).toEqual(["1042", "1043"]);
  expect((await inTerminal(dir, ["grants", "revoke", id])).out).toBe("Calls like refund(104*) ask again.\n");
  expect((await inTerminal(dir, ["grants"])).out).toBe("Nothing was approved for more than once.\n");
  expect((await colloquy(dir, "grants", "revoke", id)).code).toBe(3);
});

ownTest("[K8] the questions of a team in code are listed and answered, and its program continues", async () => {
  const dir = folder({ "scripts/play.yaml": REFUND });
  const paid: string[] = [];
  const refund = defineTool({
    name: "refund",
    description: "Pays back.",
    input: z.object({ order: z.string() }),
    approval: true,
    run: ({ order }) => (paid.push(order), `paid ${order}`),
  });
  const clerk = defineAgent({ id: "clerk", role: "You pay.", tools: [refund], default: true });
  const open = () => openProject({ dir, model: "scripted/play", agents: [clerk], env: {} });
  const first = await open();
  const { id } = await first.dialogs.create({ content: "refund 1042" });
  await first.dialogs.quiet(id);
  await first.close();
  const [question] = await questionsIn(dir);
  expect((await colloquy(dir, "doctor")).stdout).toContain("the team is in a program's code");
  const itsProgram =
    'The agent "clerk" is not in the files of this project. Start the program that defines it: the work continues there.\n';
  expect(await colloquy(dir, "approve", question?.id.slice(-6) ?? "")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining(itsProgram),
  });
  expect(await colloquy(dir, "resume", id)).toMatchObject({ code: 0, stderr: expect.stringContaining(itsProgram) });
  expect(await colloquy(dir, "resume", "--all")).toMatchObject({ code: 0, stderr: expect.stringContaining(itsProgram) });
  expect(paid).toEqual([]);
  const second = await open();
  await second.dialogs.quiet(id);
  await second.close();
  expect(paid).toEqual(["1042"]);
});

test("[Q31] a question is shown with its agent's name for it, and answered by that name", async () => {
  const script = `rules:
  - { when: { step: 1 }, do: { say: '{"open_questions":[{"id":"db","text":"Which database?","createdAt":"2026-01-01T10:00:00Z"},{"id":"a1","text":"How?"}]}' } }
  - { do: { say: "{{text}}" } }
`;
  const dir = team(script);
  await colloquy(dir, "new", "--title", "Orders", "hi");
  const { stdout } = await colloquy(dir, "questions");
  expect(stdout).toMatch(/^[0-9a-f]{6}\tquestion\tWhich database\?\t.*\topen\tdb\n/);
  expect((await colloquy(dir, "show", "db")).stdout).toMatch(/Which database\?[^]*id db · written /);
  // The other one is still open.
  expect((await colloquy(dir, "answer", "db", "SQLite")).code).toBe(4);
  expect(await colloquy(dir, "answer", "a1", "Well")).toMatchObject({ code: 0 });
  expect(await questionsIn(dir)).toEqual([]);
  for (const title of ["One", "Two"]) await colloquy(dir, "new", "--title", title, "hi");
  const refused = await colloquy(dir, "answer", "db", "SQLite");
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('"db" fits 2 questions') });
});

test("[K131] a script asks people and continues; its question is in the inbox under its name", async () => {
  const dir = team();
  const { code, stdout } = await colloquy(
    dir,
    "ask",
    "--choice",
    "Yes",
    "--choice",
    "No",
    "--program",
    "release.sh",
    "Deploy?\nAll is green.",
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{6}\n$/) });
  const id = stdout.trim();
  const listed = (await colloquy(dir, "questions")).stdout;
  expect(listed).toContain("release.sh");
  expect(listed).toContain("Deploy?");
  expect((await colloquy(dir, "send", id, "Hello")).stderr).toContain("release.sh");
  expect((await colloquy(dir, "answer", id, "--choice", "1")).code).toBe(0);
  expect((await colloquy(dir, "ask", "--otherwise", "Maybe", "Hm?")).stderr).toContain("otherwise");
});

ownTest("[K131] --wait needs a server, because nobody could answer otherwise", async () => {
  const { code, stderr } = await colloquy(team(), "ask", "--wait", "Deploy?");
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("colloquy serve") });
});
