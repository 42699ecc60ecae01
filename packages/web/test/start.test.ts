import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeBrowser, emptyFolder, openBrowser, portToKeep, visit } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

test("[U18] the demo on a page asks, is killed, continues, and ends as chosen", async () => {
  const dir = emptyFolder();
  const start = async (port: string): Promise<{ readonly demo: ChildProcess; readonly link: string }> => {
    const main = join(import.meta.dirname, "../../cli/src/main.ts");
    const demo = spawn(process.execPath, [main, "demo", dir, "--serve", "--port", port], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void demo.kill("SIGKILL"));
    const [text] = (await once(demo.stdout, "data")) as [Buffer];
    return { demo, link: /Open (\S+)/.exec(text.toString())?.[1] ?? "" };
  };
  const first = await start(portToKeep());
  const { page } = await visit(first.link);
  await page.getByRole("heading", { name: "What do we offer Ines Brandt for the broken bowl?" }).waitFor();
  first.demo.kill("SIGKILL");
  await once(first.demo, "exit");
  await page.getByText("Not connected since").waitFor();
  await page.getByRole("radio", { name: /Money back/ }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("1 answer or message will be sent").waitFor();
  await start(new URL(first.link).port);
  await page.getByText("Potter continues").waitFor();
  await page.goto(new URL("/dialogs", first.link).href);
  await expect.poll(() => page.getByRole("list", { name: "Dialogs" }).getByRole("link").count()).toBe(1);
  await page.getByRole("link", { name: /Order 1042 arrived broken/ }).click();
  await page.getByText("What she gets: Money back").waitFor();
});
