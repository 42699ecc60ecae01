import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, served, soloFiles, visit } from "./house.ts";
import { rules } from "./stories.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

test("[U80] a dialog is exported from its menu, and imported in the settings", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const [project] = projects;
  const dialog = await project?.dialogs.create({ content: "hello" });
  await dialog?.result();
  const { page, complaints } = await visit(link, `/d/${dialog?.id}`);
  const saved = async (click: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent("download"), click()]);
    return { name: download.suggestedFilename(), path: await download.path() };
  };
  const one = await saved(async () => {
    await page.getByRole("button", { name: "More", exact: true }).first().click();
    await page.getByRole("menuitem", { name: "Export" }).click();
  });
  expect(one.name).toBe(`${dialog?.id.slice(-6)}.colloquy.gz`);
  expect(readFileSync(one.path).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  await page.goto(new URL("/settings", link).href);
  const all = await saved(() => page.getByRole("button", { name: "Export all" }).click());
  await page.getByText("Exported.").waitFor();
  const choose = async (file: string | { name: string; mimeType: string; buffer: Buffer }) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Import …" }).click()]);
    await chooser.setFiles(file as string);
  };
  await choose(all.path);
  await page.getByText("1 dialog imported.").waitFor();
  await picture(page, "care-light");
  expect(project?.dialogs.list()).toHaveLength(2);
  await choose({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Not an export.") });
  await page.getByText("no file that colloquy export made").waitFor();
  expect(project?.dialogs.list()).toHaveLength(2);
  expect(complaints).toEqual([]);
});

test("[U81] a dialog is deleted from its menu, and leaves the lists and inboxes of other pages", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const [project] = projects;
  const dialog = await project?.dialogs.create({ content: "hello" });
  await dialog?.result();
  await project?.dialogs.create({ content: "welcome" });
  const { page, complaints } = await visit(link, `/d/${dialog?.id}`);
  const other = await page.context().newPage();
  await other.goto(new URL("/dialogs", link).href);
  await other.getByText("hello").first().waitFor();
  await page.getByRole("button", { name: "More", exact: true }).first().click();
  await page.getByRole("menuitem", { name: "Delete …" }).click();
  await page.getByText("It is gone for good").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL("**/dialogs");
  await other.getByText("hello").first().waitFor({ state: "detached" });
  expect(project?.dialogs.list()).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test("[CP5] a fork is compared with its original from its menu", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const [project] = projects;
  const dialog = await project?.dialogs.create({ content: "hello" });
  await dialog?.result();
  const fork = await project?.dialogs.fork(dialog?.id ?? "");
  await project?.dialogs.send(dialog?.id ?? "", "and more");
  await dialog?.result();
  const { page, complaints } = await visit(link, `/d/${fork?.id}`);
  await page.getByRole("button", { name: "More", exact: true }).first().click();
  await page.getByRole("menuitem", { name: "Compare with the original" }).click();
  await page.getByRole("heading", { name: "Side by side" }).waitFor();
  await page.getByText(/^The same for 2 rows, until/).waitFor();
  await page
    .getByRole("region", { name: dialog?.id.slice(-6) ?? "" })
    .getByText("and more", { exact: true })
    .waitFor();
  await picture(page, "compare-light");
  expect(complaints).toEqual([]);
});
