import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@colloquy/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, soloFiles, visit, webDir } from "./house.ts";

beforeAll(openBrowser, 60_000);
afterAll(closeBrowser);

const rules = [{ do: [{ call: { tool: "askHuman", input: { headline: "Which colour?", tellaskContent: "Which?" } } }] }];

test("[SV41] [U37] the link signs one browser in; another is told to get its own, and no other port gains anything", async () => {
  const serving = await serve({ dirs: [folder(soloFiles(rules))], env: {}, port: 0, version: "test", webDir, report: () => undefined });
  onTestFinished(() => serving.close());
  const { link, url, projects } = serving;
  await projects[0]?.createDialog({ content: "Paint it" });
  const question = { name: "Which colour?" };
  const { page, context } = await visit(link);
  await page.getByRole("heading", question).waitFor();
  expect(page.url()).not.toContain("token");

  const tab = await context.newPage();
  await tab.goto(link);
  await tab.getByRole("heading", question).waitFor();

  const other = await visit(link);
  await other.page.getByText("This link has been used already. Run colloquy open").waitFor();
  await picture(other.page, "link-used");
  const foreign = await visit(`${url}/#token=nonsense`);
  await foreign.page.getByText("This link is invalid or has expired. Run colloquy open").waitFor();

  // A page on another port of the same host: the browser sends it the cookie, and sends the cookie along for it.
  const evil = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? "");
    response.setHeader("content-type", "text/html").end("<!doctype html><title>evil</title>");
  });
  const cookies: string[] = [];
  await new Promise<void>((up) => evil.listen(0, "127.0.0.1", up));
  onTestFinished(() => void evil.close());
  await tab.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  const [stolen = ""] = cookies;
  expect((await fetch(`${url}/api/projects`, { headers: { cookie: stolen } })).status).toBe(401);
  const tried = await tab.evaluate(async (place) => {
    const ask = (path: string, init: RequestInit) =>
      fetch(place + path, { credentials: "include", ...init }).then(
        ({ status }) => status,
        () => "blocked",
      );
    const socket = await new Promise((over) => {
      const opened = new WebSocket(`${place.replace("http", "ws")}/ws`, ["colloquy"]);
      opened.addEventListener("open", () => over("open"));
      opened.addEventListener("error", () => over("refused"));
    });
    const plain = { method: "POST", headers: { "content-type": "text/plain" }, body: '{"content":"x","msgId":"1"}' };
    return [await ask("/api/projects", {}), await ask("/api/projects/shop/dialogs", plain), socket];
  }, url);
  expect(tried).toEqual(["blocked", "blocked", "refused"]);
  expect(projects[0]?.count()).toBe(1);
});
