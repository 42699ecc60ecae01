import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, served, visit } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

/** One who takes tasks: what is called hard fails, what is called new brings a dependency, anything else is done at once. */
const files = {
  "colloquy.yaml": `defaults: { model: scripted/play }
agents:
  coder: { name: Coder, role: "You code.", tools: [files], handles: [task], default: true }
`,
  "scripts/play.yaml": JSON.stringify({
    rules: [
      { when: { result: "write_file" }, do: { json: { status: "success", summary: "It is in." } } },
      { when: { seen: "hard" }, do: { json: { status: "failed", summary: "The machine was too small." } } },
      { when: { seen: "new" }, do: { call: { tool: "write_file", input: { path: "package.json", content: '{"name":"shop"}\n' } } } },
      { do: { json: { status: "success", summary: "Done." } } },
    ],
  }),
};

test("[UT1] the board follows changes, filters by kind and words, and moves between cards by keys", async () => {
  const { link, projects } = await served(folder(files));
  const [project] = projects;
  const first = await project?.tasks.create({ kind: "feedback", title: "The search is slow" });
  const { page } = await visit(link, "/tasks");
  const at = (name: string) => page.getByRole("list", { name, exact: true }).getByRole("link");
  await at("Ready").filter({ hasText: "The search is slow" }).filter({ hasText: "Nobody takes this kind" }).waitFor();
  await project?.tasks.create({ title: "Show pages", dependsOn: [first?.id ?? ""] });
  await at("After other tasks").filter({ hasText: "after The search is slow" }).waitFor();
  await project?.tasks.create({ title: "A small one" });
  await at("Closed").filter({ hasText: "A small one" }).waitFor();
  await project?.tasks.close(first?.id ?? "");
  await expect.poll(() => at("Closed").count()).toBe(3);
  await page.getByText("Nothing to start.").waitFor();

  await at("Closed").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("A small one");
  await page.getByRole("searchbox", { name: "Filter by words" }).fill("small");
  await expect.poll(() => at("Closed").count()).toBe(1);
  await page.getByRole("searchbox", { name: "Filter by words" }).fill("");
  await page.getByRole("button", { name: "Feedback" }).click();
  await expect.poll(() => at("Closed").count()).toBe(1);
  await at("Closed").filter({ hasText: "The search is slow" }).waitFor();
});

test("[UT2] a task is created, changed and closed; a circle or a section without a name is refused", async () => {
  const { link, projects } = await served(folder(files));
  const [project] = projects;
  const first = await project?.tasks.create({ kind: "feedback", title: "One" });
  const { page } = await visit(link, "/tasks");
  await page.getByRole("heading", { name: "Tasks" }).waitFor();
  await page.getByRole("link", { name: /One/ }).waitFor();
  await page.keyboard.press("n");
  const form = page.getByRole("dialog");
  await form.getByRole("textbox", { name: "Title" }).fill("Two");
  await form.getByRole("radio", { name: "Requirements" }).click();
  expect(await form.getByRole("button", { name: "Create" }).isDisabled()).toBe(true);
  await form.getByRole("textbox", { name: "Section" }).fill("not one!");
  await form.getByRole("button", { name: "Create" }).click();
  await form.getByRole("alert").filter({ hasText: "a key is a letter or digit" }).waitFor();
  await form.getByRole("textbox", { name: "Section" }).fill("search");
  await form.getByRole("textbox", { name: "Description" }).fill("Fifty *at a time*.");
  await form.getByRole("checkbox", { name: /One/ }).check();
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "Two" }).waitFor();
  await page.getByText("at a time").waitFor();
  expect(project?.tasks.list().map(({ title, key, dependsOn }) => ({ title, key, dependsOn }))).toEqual([
    { title: "One", key: undefined, dependsOn: [] },
    { title: "Two", key: "search", dependsOn: [first?.id] },
  ]);

  await page.getByRole("list", { name: "Comes after" }).getByRole("link", { name: "One" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await form.getByRole("textbox", { name: "Title" }).fill("One, renamed");
  await form.getByRole("checkbox", { name: /Two/ }).check();
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("alert").filter({ hasText: "it would wait for itself: One → Two → One" }).waitFor();
  await picture(page, "task-circle");
  await form.getByRole("checkbox", { name: /Two/ }).uncheck();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "One, renamed" }).waitFor();
  await page.getByRole("button", { name: "Close …" }).click();
  await form.getByRole("textbox").fill("Nobody needs it.");
  await form.getByRole("button", { name: "Close", exact: true }).last().click();
  await page.getByRole("status").filter({ hasText: "Closed" }).waitFor();
  expect(project?.tasks.get(first?.id ?? "")).toMatchObject({ status: "closed", summary: "Nobody needs it.", title: "One, renamed" });
});

test("[UT4] a task shows its failures, their question and its autonomy, and opens by some digits of its id", async () => {
  const dir = folder(files);
  const { link, projects } = await served(dir);
  const task = await projects[0]?.tasks.create({ title: "Something hard", by: "anna" });
  const { page } = await visit(link, `/p/shop/t/${task?.id.slice(-6)}`);
  await page.getByRole("heading", { name: "Something hard", level: 1 }).waitFor();
  await page.getByRole("heading", { name: "failed 3 times", exact: true }).waitFor();
  await page.getByText("The machine was too small.").first().waitFor();
  await page.getByText("As in the project.").waitFor();
  await page.getByRole("link", { name: "Open the dialog" }).click();
  await page.getByRole("tab", { name: "Task" }).click();
  await page.getByRole("tabpanel").getByRole("link", { name: "Something hard" }).click();
  const config = `tasks/something-hard-${task?.id.slice(-6)}.tsk/config.json`;
  writeFileSync(join(dir, config), JSON.stringify({ hilConfig: { scopeChanges: "requires_approval" } }));
  await page.reload();
  await page.getByText("Set for this task in:").filter({ hasText: config }).waitFor();
  await page.getByText("asks you").waitFor();
  const asked = page.getByRole("region", { name: "What it asks you" });
  await asked.getByRole("radio", { name: "Close it" }).click();
  await asked.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByRole("status").filter({ hasText: "Closed" }).waitFor();
  const history = page.getByRole("list", { name: "History" });
  await history.getByText("Closed by owner").waitFor();
  expect(await history.getByText("Failed", { exact: true }).count()).toBe(3);
  await page.goto(new URL(`/p/shop/t/${"0".repeat(32)}`, link).href);
  await page.getByText("Task not found.").waitFor();
});

test("[UT3] notices are read and dismissed for everybody; finished tasks are news", async () => {
  const { link, projects } = await served(folder(files));
  const task = await projects[0]?.tasks.create({ title: "A new library" });
  const { page } = await visit(link);
  const other = await visit(link);
  const section = page.getByRole("button", { name: /^Notices/ });
  await section.filter({ hasText: "2" }).waitFor();
  await section.click();
  const list = page.getByRole("list", { name: "For your information" });
  await list.getByRole("button", { name: /New file package.json/ }).click();
  const card = page.getByRole("article", { name: /New file package.json/ });
  await card.getByText('{"name":"shop"}').waitFor();
  await card.getByText("Coder did this without asking").waitFor();
  const address = page.url();
  await other.page.goto(address);
  await other.page.getByRole("article", { name: /New file package.json/ }).waitFor();
  await picture(page, "notices-light");
  await page.keyboard.press("e");
  await expect.poll(async () => (await projects[0]?.notifications.list({ kind: "notice", status: "open" }))?.items.length).toBe(0);
  await expect.poll(() => list.getByRole("button").count()).toBe(1);
  await expect.poll(() => other.page.getByRole("list", { name: "For your information" }).getByRole("button").count()).toBe(1);

  await page.getByRole("article", { name: "A new library" }).getByText("It is in.").waitFor();
  await page.getByRole("article").getByRole("button", { name: "Mark as read" }).click();
  await page.getByText("No notices.").waitFor();
  await page.getByRole("button", { name: "Read earlier" }).click();
  await page
    .getByRole("list", { name: "Read earlier" })
    .getByRole("button", { name: /New file package.json/ })
    .click();
  await card.waitFor();
  await page.goto(address);
  await card.waitFor();
  expect(await card.getByRole("button", { name: "Mark as read" }).count()).toBe(0);
  await card.getByRole("link", { name: /Open where it happened/ }).click();
  await page.getByRole("log").getByText("write_file").first().waitFor();
  expect(projects[0]?.tasks.get(task?.id ?? "").status).toBe("closed");
});
