import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demoFiles, demoMessage } from "../../cli/src/templates/demo.ts";
import { openProject } from "@colloquy/library";
import { defineTool, type Tool } from "@colloquy/runtime";
import { newToken, tokenHash } from "@colloquy/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { closeBrowser, folder, openBrowser, picture, served, soloFiles, visit } from "./house.ts";
import { approvals, rules } from "./stories.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

/** Keys answer only what has stood still for a while (U-S3). */
const ARMED_MS = 500;

test("[U2] the whole demo by mouse: a choice changes the story", async () => {
  const { link, projects } = await served(folder(demoFiles));
  await projects[0]?.dialogs.create({ content: demoMessage });
  const { page, complaints } = await visit(link);
  await page.getByRole("heading", { name: "What do we offer Ines Brandt for the broken bowl?" }).waitFor();
  await page.getByText("Can the bowls of order 1042 be made again").waitFor();
  await picture(page, "inbox-light");
  await page.getByRole("radio", { name: /Money back/ }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Potter continues").waitFor();
  await page.getByRole("link", { name: "Dialogs" }).click();
  await page.getByRole("link", { name: /Order 1042 arrived broken/ }).click();
  await page.getByText("What she gets: Money back").waitFor();
  await picture(page, "dialog-light");
  expect(complaints).toEqual([]);
});

test("[U32] a row and a card name the dialog, the dialog links to its question, and the viewer is called you", async () => {
  const { link, projects } = await served(folder(demoFiles));
  const dialog = await projects[0]?.dialogs.create({ content: demoMessage, title: "Broken bowl" });
  const { page } = await visit(link);
  await page
    .getByRole("button", { name: /What do we offer Ines Brandt/ })
    .getByText("Potter · Broken bowl", { exact: true })
    .waitFor();
  await page.getByRole("link", { name: "Broken bowl", exact: true }).click();
  expect(page.url()).toContain(`/d/${dialog?.id}`);
  await page.getByText("Lead is waiting for you, through Potter:").waitFor();
  await page.locator("header").getByRole("link", { name: "What do we offer Ines Brandt for the broken bowl?" }).click();
  await page.getByRole("radio", { name: /New pair/ }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("button", { name: "Answered" }).click();
  await page.getByText("you: New pair").waitFor();
});

test("[U33] [U34] multiple choices have checkboxes; tables, addresses and text direction are preserved", async () => {
  const text = "What?\n\n| size | price |\n| --- | --- |\n| small | 12 |\n\nSee https://example.org/a.\n\nיש שתי אפשרויות?";
  const options = ["One", "Two"];
  const ask = { call: { tool: "askHuman", input: { headline: "איזה מהם?", tellaskContent: text, options, multiple: true } } };
  const { link, projects } = await served(folder(soloFiles([{ when: { step: 1 }, do: [ask] }, { do: { say: "{{result}}" } }])));
  const dialog = await projects[0]?.dialogs.create({ content: "Ask" });
  const { page } = await visit(link);
  await page.getByRole("cell", { name: "12" }).waitFor();
  expect(await page.getByRole("link", { name: "https://example.org/a" }).getAttribute("href")).toBe("https://example.org/a");
  const direction = (locator: ReturnType<typeof page.getByText>) => locator.evaluate((element) => getComputedStyle(element).unicodeBidi);
  expect(await direction(page.getByText("יש שתי אפשרויות?"))).toBe("plaintext");
  expect(await direction(page.getByRole("heading", { name: "איזה מהם?" }))).toBe("plaintext");
  await page.getByText("You can choose several.").waitFor();
  for (const box of await page.getByRole("checkbox").all()) await box.click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  expect(await dialog?.result()).toContain("One, Two");
});

test("[U2] the whole demo by keyboard alone", async () => {
  const { link, projects } = await served(folder(demoFiles));
  const dialog = await projects[0]?.dialogs.create({ content: demoMessage });
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "What do we offer Ines Brandt for the broken bowl?" }).waitFor();
  await page.clock.fastForward(ARMED_MS);
  await page.keyboard.press("3");
  await page.getByRole("radio", { name: /Both/, checked: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Potter continues").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Order 1042");
  await page.getByRole("option", { name: /Order 1042/, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("What she gets: Both").waitFor();
  expect(page.url()).toContain(`/d/${dialog?.id}`);
});

test("[U-S2] [U-S3] a digit in a text field, with a modifier, or too early chooses nothing", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  // Pressed by the page itself as soon as the choices appear: a press by the test may come too late.
  const { page } = await visit(link, "/", {}, (opened) =>
    opened.addInitScript(() => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector("[role=radio]")) return;
        observer.disconnect();
        requestAnimationFrame(() => dispatchEvent(new KeyboardEvent("keydown", { key: "1" })));
      });
      observer.observe(document, { childList: true, subtree: true });
    }),
  );
  await page.getByRole("heading", { name: "Which database?" }).waitFor();
  await page.clock.fastForward(ARMED_MS);
  expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
  await page.keyboard.press("Alt+1");
  await page.getByRole("textbox", { name: "Your answer" }).click();
  await page.keyboard.press("1");
  expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.clock.fastForward(ARMED_MS);
  await page.keyboard.press("1");
  await page.getByRole("radio", { checked: true }).waitFor();
  expect((await projects[0]?.questions.list())?.length).toBe(1);
});

test("[U-S1] an arriving item moves neither focus, scroll nor selection", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  const { page } = await visit(link);
  const field = page.getByRole("textbox", { name: "Your answer" });
  await field.fill("half a thou");
  const address = page.url();
  await projects[0]?.dialogs.create({ content: "ask cache" });
  await page.getByRole("status", { name: "Needs you" }).filter({ hasText: "2 open" }).waitFor();
  expect(page.url()).toBe(address);
  expect(await field.inputValue()).toBe("half a thou");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.getByRole("heading", { level: 2 }).textContent()).toBe("Which database?");
});

test("[U-S5] an answer carries the version that was shown; a mismatch is explained, and the text is kept", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  const { page } = await visit(link);
  const [question] = (await projects[0]?.questions.list()) ?? [];
  let sent: { shown?: string } = {};
  await page.route("**/answer", async (route) => {
    sent = JSON.parse(route.request().postData() ?? "{}") as { shown?: string };
    await route.continue({ postData: JSON.stringify({ ...sent, shown: "an older one" }) });
  });
  await page.getByRole("textbox", { name: "Your answer" }).fill("files");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "changed since it was shown" }).waitFor();
  expect(sent.shown).toBe(question?.shown);
  expect(await page.getByRole("textbox", { name: "Your answer" }).inputValue()).toBe("files");
});

test("[U3] two people race: the other's card says who answered, and the draft survives", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "ask database" });
  const mine = await visit(link);
  const theirs = await visit(link);
  await theirs.page.getByRole("textbox", { name: "Your answer" }).fill("files, please");
  await mine.page.getByText("owner is writing").waitFor();
  await mine.page.getByRole("radio", { name: /SQLite/ }).click();
  await mine.page.getByRole("button", { name: "Answer", exact: true }).click();
  await theirs.page.getByText(/owner answered this .* ago: “SQLite”/).waitFor();
  await theirs.page.getByRole("button", { name: "Send as a message" }).click();
  await expect.poll(async () => JSON.stringify(await projects[0]?.dialogs.events(dialog?.id ?? ("" as never)))).toContain("files, please");
});

test("[U3] two users race with links of their own: one answer counts, and the other reads whose", async () => {
  const users = { anna: newToken(), ben: newToken() };
  const lines = Object.entries(users).map(([name, token]) => `  ${name}: { role: member, tokenHash: "${tokenHash(token)}" }\n`);
  const { url, projects } = await served(folder(soloFiles(rules, `users:\n${lines.join("")}`)));
  const dialog = await projects[0]?.dialogs.create({ content: "ask database" });
  const anna = await visit(`${url}/#token=${users.anna}`);
  const ben = await visit(`${url}/#token=${users.ben}`);
  await anna.page.getByRole("textbox", { name: "Your answer" }).fill("with an index");
  await ben.page.getByText("anna is writing").waitFor();
  await ben.page.getByRole("textbox", { name: "Your answer" }).fill("no server, please");
  await anna.page.getByRole("radio", { name: /PostgreSQL/ }).click();
  await ben.page.getByRole("radio", { name: /SQLite/ }).click();
  // Both answers are on their way before either is decided.
  const sent: string[] = [];
  let letGo = () => {};
  const bothSent = new Promise<void>((resolve) => (letGo = resolve));
  for (const [name, { page }] of Object.entries({ anna, ben })) {
    await page.route("**/answer", async (route) => {
      if (sent.push(name) === 2) letGo();
      await bothSent;
      await route.continue();
    });
  }
  await Promise.all([anna, ben].map(({ page }) => page.getByRole("button", { name: "Answer", exact: true }).click()));
  expect(await dialog?.result()).toMatch(/^We take (PostgreSQL|SQLite)/);
  const told = (await projects[0]?.dialogs.events(dialog?.id ?? ("" as never))) ?? [];
  const closed = told.flatMap(({ events }) => events.flatMap((event) => (event.type === "question.closed" ? event : [])));
  expect(closed.length).toBe(1);
  const winner = closed[0]?.by;
  const [loser, draft] = winner === "anna" ? [ben, "no server, please"] : [anna, "with an index"];
  await loser.page.getByText(new RegExp(`${winner} answered this .* ago`)).waitFor();
  await loser.page.getByText(draft).waitFor();
  await loser.page.getByRole("button", { name: "Send as a message" }).waitFor();
});

test("[U4] asking back keeps the question open, and the reply appears in the card", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  const { page } = await visit(link);
  await page.getByRole("button", { name: "Ask back" }).click();
  await page.getByRole("textbox", { name: "Ask back" }).fill("Why now?");
  await page.getByRole("button", { name: "Ask back" }).click();
  await page.getByText("Because of the load.").waitFor();
  await page.getByRole("radio", { name: /PostgreSQL/ }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Lead continues").waitFor();
});

test("[U6] an approval shows the change and is given by its key; after a denial the agent reads the reason", async () => {
  const dir = folder(soloFiles(rules, approvals));
  const { link, projects } = await served(dir);
  const dialog = await projects[0]?.dialogs.create({ content: "write plan" });
  const { page } = await visit(link);
  await page.getByRole("region", { name: "This is exactly what will run" }).getByText("danger/plan.md").waitFor();
  await page.getByText("# plan").waitFor();
  await picture(page, "approval-light");
  await page.clock.fastForward(ARMED_MS);
  await page.keyboard.press("a");
  await page.getByText("Lead continues").waitFor();
  expect(await dialog?.result()).toBe("Written.");
  const second = await projects[0]?.dialogs.create({ content: "write other" });
  await page.getByRole("button", { name: /other/ }).click();
  await page.getByRole("button", { name: "Deny …" }).click();
  await page.getByRole("textbox").fill("not there");
  await page.getByRole("button", { name: "Deny", exact: true }).click();
  await expect.poll(async () => JSON.stringify(await projects[0]?.dialogs.events(second?.id ?? ("" as never)))).toContain("not there");
});

test("[U6][AU19] an approval of a command shows what it did; approving applies that", async () => {
  const dir = folder(soloFiles(rules));
  writeFileSync(join(dir, "work.txt"), "a day's work\n");
  const { link, projects } = await served(dir);
  const dialog = await projects[0]?.dialogs.create({ content: "run echo new > made.txt; rm work.txt" });
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "Apply a command’s changes" }).waitFor();
  const card = page.getByRole("region", { name: "Approving applies exactly these changes" });
  await card.getByText("nothing is applied yet").waitFor();
  await card.getByText("a day's work").waitFor();
  await picture(page, "approval-command-light");
  expect(existsSync(join(dir, "work.txt"))).toBe(true);
  expect(existsSync(join(dir, "made.txt"))).toBe(false);
  await page.getByRole("button", { name: "Approve once" }).click();
  expect(await dialog?.result()).toBe("It ran.");
  expect(existsSync(join(dir, "work.txt"))).toBe(false);
  expect(readFileSync(join(dir, "made.txt"), "utf8")).toBe("new\n");
});

test("[U-S4] Enter in a composer never approves", async () => {
  const { link, projects } = await served(folder(soloFiles(rules, approvals)));
  const dialog = await projects[0]?.dialogs.create({ content: "write plan" });
  const { page } = await visit(link, `/d/${dialog?.id}`);
  await page.getByRole("button", { name: "Approve once" }).waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("wait a moment");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("wait a moment").waitFor();
  expect((await projects[0]?.questions.list())?.map(({ kind }) => kind)).toEqual(["approval"]);
});

test("[U33] a card whose text begins with its headline shows it once", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  const { page } = await visit(link);
  const card = page.getByRole("article", { name: "Which database?" });
  await card.getByText("It decides how we go on.", { exact: true }).waitFor();
  expect(await card.getByText("Which database?").count()).toBe(1);
});

test("[U22] [U24] the same for all decides similar questions one by one; refused ones are named and stay", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "thrice" });
  const { page } = await visit(link);
  await expect.poll(() => page.getByRole("heading", { level: 2 }).count()).toBe(3);
  const sent: { shown?: string }[] = [];
  await page.route("**/answer", async (route) => {
    const body = JSON.parse(route.request().postData() ?? "{}") as { shown?: string };
    if (sent.push(body) === 3) await route.continue({ postData: JSON.stringify({ ...body, shown: "an older one" }) });
    else await route.continue();
  });
  await page.clock.fastForward(ARMED_MS);
  await page.keyboard.press("x");
  await page.getByRole("checkbox", { name: /The same for all 3/, checked: true }).waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("1");
  await page.getByText(/May the .* go\?: The question changed/).waitFor();
  await expect.poll(async () => (await projects[0]?.questions.list())?.length).toBe(1);
  expect(sent.every(({ shown }) => shown !== undefined)).toBe(true);
  await picture(page, "same-for-all-light-1280");
});

test("[U23] a revised question says so, and shows its earlier wording", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  const { page } = await visit(link);
  await page.getByRole("button", { name: "Ask back" }).click();
  await page.getByRole("textbox", { name: "Ask back" }).fill("Can you say it plainer?");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Which store for orders?" }).waitFor();
  await page.getByText("Said plainer.").waitFor();
  const revised = page.getByRole("button", { name: /^revised/ });
  expect(await revised.getAttribute("title")).toContain("Which database?");
  await revised.click();
  await page.getByRole("article").getByText("Which database?", { exact: true }).waitFor();
});

test("[U24] keys snooze a question, and step through answered ones", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const open = async () => (await projects[0]?.questions.list())?.map(({ headline }) => headline);
  for (const what of ["first", "second", "third"]) {
    await projects[0]?.dialogs.create({ content: `ask ${what}` });
    await expect.poll(open).toContain(`Which ${what}?`);
  }
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "Which first?" }).waitFor();
  await page.clock.fastForward(ARMED_MS);
  await page.keyboard.press("h");
  await page.getByRole("menuitem", { name: "In an hour" }).click();
  await page.getByRole("button", { name: "Later", exact: true }).click();
  await page.getByRole("list", { name: "Later" }).getByText("Which first?").waitFor();
  for (const question of (await projects[0]?.questions.list()) ?? []) await projects[0]?.questions.answer(question.id, { choice: [0] });
  await page.getByRole("button", { name: "Answered" }).click();
  const answered = page.getByRole("list", { name: "Answered" }).getByRole("link");
  await expect.poll(() => answered.count()).toBe(3);
  const all = await answered.allTextContents();
  const current = async () =>
    all.indexOf((await page.getByRole("list", { name: "Answered" }).locator("[aria-current]").textContent()) ?? "");
  const first = await current();
  await page.keyboard.press("]");
  await expect.poll(current).toBe(first - 1);
  await page.keyboard.press("[");
  await expect.poll(current).toBe(first);
});

test("[U25] a tool's form shows its fields; invalid input is explained and kept", async () => {
  const order: Tool = {
    ...defineTool({ name: "order", description: "Orders something.", input: z.object({}), run: () => undefined }),
    run: async (_, { ask }) => {
      const answer = await ask({
        message: "What shall be ordered?",
        fields: [
          { name: "what", kind: "text", required: true },
          { name: "pieces", kind: "integer", required: true, most: 9 },
          { name: "gift", title: "As a gift", kind: "boolean" },
        ],
      });
      return JSON.stringify(answer);
    },
  };
  const play = [{ when: { result: "order" }, do: { say: "Ordered." } }, { do: [{ call: { tool: "order", input: {} } }] }];
  const dir = folder({ "colloquy.yaml": "defaults: { model: scripted/play }\n", "scripts/play.yaml": JSON.stringify({ rules: play }) });
  const project = await openProject({ dir, agents: [{ id: "lead", role: "You order.", tools: [order] }] });
  const { link } = await served(dir);
  const dialog = await project.dialogs.create({ content: "go" });
  const { page } = await visit(link);
  await page.getByRole("textbox", { name: /what/ }).fill("Tea bowls");
  await page.getByRole("spinbutton", { name: /pieces/ }).fill("12");
  await page.getByRole("checkbox", { name: "As a gift" }).check();
  await picture(page, "form-light-1280");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("alert").filter({ hasText: "pieces" }).waitFor();
  await page.getByRole("spinbutton", { name: /pieces/ }).fill("2");
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  expect(await dialog.result()).toBe("Ordered.");
  expect(JSON.stringify(await project.dialogs.events(dialog.id))).toContain('\\"pieces\\":2');
});
