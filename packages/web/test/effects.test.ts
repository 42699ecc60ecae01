import { defineTool, openProject } from "@colloquy/library";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { closeBrowser, folder, openBrowser, picture, served, soloFiles, visit } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

const RULES = [{ when: { result: "pay" }, do: { say: "Who knows?" } }, { do: [{ call: { tool: "pay", input: { to: "Ben" } } }] }];

test("[EF9] an unknown outcome is in the inbox until it is settled; the page of effects has the ledger", async () => {
  const dir = folder(soloFiles(RULES));
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    timeoutMs: 1,
    run: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut")))),
  });
  const agents = [{ id: "cashier", name: "Cashier", role: "You pay.", model: "scripted/play", tools: [pay] }];
  const project = await openProject({ dir, agents, env: {}, report: () => undefined });
  const { id } = await project.dialogs.create({ content: "Pay Ben", agent: "cashier", title: "Payments" });
  await project.dialogs.quiet(id);
  await project.close();

  const { link } = await served(dir);
  const { page, complaints } = await visit(link, "/");
  const inbox = page.getByRole("list", { name: "Unknown outcomes" });
  await inbox.getByText('{"to":"Ben"}').waitFor();
  await picture(page, "unknown-outcome-light");
  await inbox.getByRole("textbox", { name: "Note (optional)" }).fill("The bank has it.");
  await inbox.getByRole("button", { name: "It happened" }).click();
  await inbox.waitFor({ state: "detached" });
  await page.goto(new URL("/activity", link).href);
  await page.getByRole("link", { name: "Effects" }).click();
  const ledger = page.getByRole("list", { name: "Effects" });
  await ledger.getByText("The bank has it.").waitFor();
  await ledger.getByRole("img", { name: "done" }).waitFor();
  await picture(page, "effects-light");
  await page.getByRole("button", { name: "Unknown outcomes" }).click();
  await page.getByText("Every outcome is known.").waitFor();
  await page.goto(new URL(`/d/${id}`, link).href);
  await page.getByText("found out: the interrupted pay took effect. The bank has it.").waitFor();
  await page.getByRole("button", { name: "More", exact: true }).first().click();
  await page.getByRole("menuitem", { name: "Effects" }).click();
  await ledger.getByText("The bank has it.").waitFor();
  expect(complaints).toEqual([]);
});
