import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readServerFile } from "@colloquy/server";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { findings } from "./axe.ts";
import { closeBrowser, emptyFolder, openBrowser, picture, visit } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

const main = join(import.meta.dirname, "../../cli/src/main.ts");

/** `init --template sprint` and `serve`, as a person would type them. */
async function sprint(): Promise<{ readonly dir: string; readonly link: string }> {
  const dir = emptyFolder();
  execFileSync(process.execPath, [main, "init", dir, "--template", "sprint", "--model", "scripted/demo", "--yes"]);
  const server: ChildProcess = spawn(process.execPath, [main, "-C", dir, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill("SIGKILL"));
  if (server.stdout) await once(server.stdout, "data");
  const { url = "", token = "" } = readServerFile(dir) ?? {};
  return { dir, link: `${url}/#token=${token}` };
}

/** By the card on the page of the task. */
async function answer(page: Page, question: string, choice: string): Promise<void> {
  await page.getByRole("heading", { name: question }).waitFor();
  await page.getByRole("radio", { name: choice }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
}

// Colours depend on the theme and the layout on the width: each is seen once.
test.each([
  ["light", 1400, 860],
  ["dark", 390, 780],
] as const)(
  "[UT5] [U14] [U13] the sprint from feedback to finished tasks, two questions answered on the way: %s, %i wide",
  async (theme, width, height) => {
    const { dir, link } = await sprint();
    const { page, complaints } = await visit(link, "/tasks", { theme, width, height });
    const found: string[] = [];
    const look = async (name: string) => {
      await page.evaluate(() => document.fonts.ready);
      await picture(page, `sprint-${name}-${theme}-${width}`);
      found.push(...(await findings(page)).map((one) => `${name}: ${one}`));
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    const at = (name: string) => page.getByRole("list", { name, exact: true }).getByRole("link");
    const tasks = () => page.getByRole("navigation", { name: "Colloquy" }).getByRole("link", { name: "Tasks" }).click();

    await page.getByText("No tasks yet.").waitFor();
    await look("empty");
    await page.getByRole("link", { name: "New task" }).click();
    await page.getByRole("radio", { name: "Feedback" }).click();
    await page.getByText("Analyst takes it.").waitFor();
    await page.getByRole("textbox", { name: "Title" }).fill("The search is slow");
    await look("form");
    await page.getByRole("button", { name: "Create" }).click();

    await page.getByRole("heading", { name: "The search is slow", level: 1 }).waitFor();
    await page.getByRole("heading", { name: "Which search is meant?" }).waitFor();
    await look("asked");
    await tasks();
    await at("Waiting for you").filter({ hasText: "Which search is meant?" }).click();
    await answer(page, "Which search is meant?", "Orders");
    await page.getByRole("status").filter({ hasText: "Closed" }).waitFor();
    await page.getByRole("list", { name: "What was decided" }).getByText("you: Orders").waitFor();

    await tasks();
    await at("Waiting for you").filter({ hasText: "Which column is searched most?" }).waitFor();
    await at("After other tasks").filter({ hasText: "after Add an index to the orders" }).waitFor();
    await expect.poll(() => at("Closed").count()).toBe(3);
    await look("board");
    await at("Waiting for you").click();
    await page.getByText("The task does not say which column is searched.").first().waitFor();
    await page.getByRole("list", { name: "Comes before" }).getByRole("link", { name: "Show results page by page" }).waitFor();
    await page.getByRole("region", { name: "Taskdoc" }).getByText("So that a search need not read them all.").waitFor();
    await page.getByRole("link", { name: "Coder is idle" }).waitFor();
    await look("task");
    await answer(page, "Which column is searched most?", "customer");
    await page.getByRole("status").filter({ hasText: "Closed" }).waitFor();
    await look("closed");

    await tasks();
    await expect.poll(() => at("Closed").count()).toBe(5);
    await page.getByText("Nothing is waiting for you.").waitFor();
    await look("finished");
    await at("Closed").filter({ hasText: "The search is slow" }).click();
    await page.getByRole("list", { name: "Became" }).getByRole("link", { name: "Plan a faster search" }).click();
    await page.getByRole("list", { name: "Became" }).getByRole("link", { name: "Add an index to the orders" }).waitFor();

    await page.getByRole("navigation", { name: "Colloquy" }).getByRole("link", { name: "Inbox" }).click();
    await page.getByRole("button", { name: "Notices 9" }).click();
    const told = page.getByRole("list", { name: "For your information" });
    await told.getByRole("button", { name: /New plan: 2 tasks/ }).click();
    await page.getByText("Show results page by page (after index)").waitFor();
    await look("notices");
    expect(existsSync(join(dir, "prd/search.md")) && existsSync(join(dir, "notes/index.md"))).toBe(true);
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
  180_000,
);
