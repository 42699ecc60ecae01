import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@colloquy/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, served, soloFiles, visit, webDir } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

test("[U38] a damaged dialog names its file and the command that repairs it; the others are shown as usual", async () => {
  const dir = folder(soloFiles([{ do: [{ say: "Painted." }] }]));
  const before = await serve({ dirs: [dir], env: {}, port: 0, version: "test", webDir, report: () => undefined });
  const made = [];
  for (const content of ["Paint the door", "Paint the roof"]) made.push(await before.projects[0]?.dialogs.create({ content }));
  for (const dialog of made) await dialog?.result();
  await before.close();
  const [broken = ""] = made.map((dialog) => dialog?.id ?? "");
  const log = join(dir, ".dialogs/run", broken, "course-001.jsonl");
  const lines = readFileSync(log, "utf8").split("\n");
  writeFileSync(log, [lines[0], "#", ...lines.slice(2)].join("\n"));

  const { link, projects } = await served(dir);
  await expect(projects[0]?.dialogs.view(broken)).rejects.toThrow("cannot be read");
  const { page } = await visit(link, "/dialogs");
  const list = page.getByRole("list", { name: "Dialogs" });
  await list.getByText(`Damaged: .dialogs/run/${broken}/course-001.jsonl:2 cannot be read`).waitFor();
  await list.getByText("Paint the roof").waitFor();
  await picture(page, "damaged");
});
