import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, served, soloFiles, visit } from "./house.ts";
import { rules } from "./stories.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

const AUTOMATED = "autonomy: { scopeChanges: automated }\n";

test("[U62] a command is undone at its step; a conflict is named, and changes nothing", async () => {
  const { link, projects } = await served(folder({ ...soloFiles(rules, AUTOMATED), "notes.txt": "one\n" }));
  const [project] = projects;
  if (!project) throw new Error("No project is served.");
  const notes = () => readFileSync(join(project.dir, "notes.txt"), "utf8");
  const dialog = await project.dialogs.create({ content: "run echo two > notes.txt" });
  await dialog.result();
  expect(notes()).toBe("two\n");

  const { page } = await visit(link, `/d/${dialog.id}`);
  const log = page.getByRole("log");
  await log.getByRole("button", { name: /run_command/ }).click();
  writeFileSync(join(project.dir, "notes.txt"), "mine\n");
  await log.getByRole("button", { name: "Undo", exact: true }).click();
  await log.getByRole("alert").getByText("Nothing was undone. These files changed since the command ran:").waitFor();
  await log.getByRole("alert").getByText("notes.txt").waitFor();
  await picture(page, "undo-conflict-light");
  expect(notes()).toBe("mine\n");

  await project.dialogs.send(dialog.id, "run echo three > notes.txt");
  await dialog.result();
  await log.getByText("It ran.").nth(1).waitFor();
  await log
    .getByRole("button", { name: /run_command/ })
    .nth(1)
    .click();
  await log.getByRole("button", { name: "Undo", exact: true }).nth(1).click();
  await log.getByText("The files are as they were before this command.").waitFor();
  expect(notes()).toBe("mine\n");
  await log.getByText("↶ undone").waitFor();
  await log.getByText(/undid a command: notes\.txt/).waitFor();
  await picture(page, "undone-light");
});
