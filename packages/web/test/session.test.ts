import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@colloquy/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, soloFiles, visit, webDir } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

const rules = [{ do: [{ call: { tool: "askHuman", input: { headline: "Which colour?", tellaskContent: "Which?" } } }] }];

test("[SV41] [U37] a link signs one browser in; a second browser is told to get its own, and no other port gains access", async () => {
  const serving = await serve({ dirs: [folder(soloFiles(rules))], env: {}, port: 0, version: "test", webDir, report: () => undefined });
  onTestFinished(() => serving.close());
  const { link, url, projects } = serving;
  await projects[0]?.dialogs.create({ content: "Paint it" });
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
  expect(projects[0]?.dialogs.count()).toBe(1);
});

/** A page that another program serves on this machine. */
async function foreignPage(host: string): Promise<string> {
  const evil = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>evil</title><body></body>");
  });
  await new Promise<void>((up) => evil.listen(0, "127.0.0.1", up));
  onTestFinished(() => void evil.close());
  return `http://${host}:${(evil.address() as AddressInfo).port}/`;
}

test.each(["127.0.0.1", "localhost", "evil.example"])(
  "[SV42] [SV48] a page that another program serves at %s reads, changes, frames and opens nothing",
  async (host) => {
    const serving = await serve({ dirs: [folder(soloFiles(rules))], env: {}, port: 0, version: "test", webDir, report: () => undefined });
    onTestFinished(() => serving.close());
    const { link, url, projects } = serving;
    await projects[0]?.dialogs.create({ content: "Paint it" });
    const { page, context } = await visit(link);
    await page.getByRole("heading", { name: "Which colour?" }).waitFor();

    const tab = await context.newPage();
    await tab.goto(await foreignPage(host));
    const tried = await tab.evaluate(async (place) => {
      const over = (element: HTMLElement & { src: string }, address: string) =>
        new Promise<string>((resolve) => {
          element.addEventListener("load", () => resolve("load"));
          element.addEventListener("error", () => resolve("error"));
          element.src = address;
          document.body.append(element);
        });
      const ask = (path: string, init: RequestInit) =>
        fetch(place + path, { credentials: "include", ...init }).then(
          ({ type, status }) => (type === "opaque" ? "opaque" : String(status)),
          () => "blocked",
        );
      const body = '{"content":"x","msgId":"1"}';
      const form = document.createElement("form");
      const frame = document.createElement("iframe");
      frame.name = "sink";
      document.body.append(frame);
      Object.assign(form, { method: "post", action: `${place}/api/projects/shop/dialogs`, target: "sink", enctype: "text/plain" });
      const field = document.createElement("input");
      Object.assign(field, { name: '{"content":"x","msgId":"2","a":"', value: '"}' });
      form.append(field);
      document.body.append(form);
      form.submit();
      return {
        image: await over(document.createElement("img"), `${place}/api/projects`),
        script: await over(document.createElement("script"), `${place}/api/projects`),
        json: await ask("/api/projects/shop/dialogs", { method: "POST", headers: { "content-type": "application/json" }, body }),
        // The answer cannot be read, and must have changed nothing.
        silent: await ask("/api/projects/shop/dialogs", { method: "POST", mode: "no-cors", body }),
        links: await ask("/api/links", { method: "POST", mode: "no-cors" }),
      };
    }, url);
    expect(tried).toMatchObject({ image: "error", script: "error", json: "blocked" });
    expect(["opaque", "blocked"]).toContain(tried.silent);
    expect(["opaque", "blocked"]).toContain(tried.links);

    // In a frame the page shows nothing; in a window of its own it is out of reach.
    await tab.evaluate((place) => {
      const frame = document.createElement("iframe");
      frame.src = place;
      document.body.append(frame);
    }, url);
    const popup = context.waitForEvent("page");
    await tab.evaluate((place) => {
      const opened = window.open(place);
      Object.assign(window, { isCut: () => opened === null || opened.closed });
    }, url);
    await (await popup).getByRole("heading", { name: "Which colour?" }).waitFor();
    await expect.poll(() => tab.evaluate(() => (window as unknown as { readonly isCut: () => boolean }).isCut())).toBe(true);
    for (const frame of tab.frames().slice(1)) expect(await frame.getByText("Which colour?").count()).toBe(0);
    expect(projects[0]?.dialogs.count()).toBe(1);
  },
);

test("[SV52] a host name that an attacker points to this machine gets no page, no answer and no socket", async () => {
  const serving = await serve({ dirs: [folder(soloFiles(rules))], env: {}, port: 0, version: "test", webDir, report: () => undefined });
  onTestFinished(() => serving.close());
  const { link, url, projects } = serving;
  await projects[0]?.dialogs.create({ content: "Paint it" });
  const { page, context } = await visit(link);
  await page.getByRole("heading", { name: "Which colour?" }).waitFor();

  const tab = await context.newPage();
  const rebound = url.replace("127.0.0.1", "evil.example");
  const answer = await tab.goto(rebound);
  expect(answer?.status()).toBe(403);
  expect(await tab.getByText("Which colour?").count()).toBe(0);
  const tried = await tab.evaluate(async () => {
    const ask = (path: string, init?: RequestInit) => fetch(path, init).then(({ status }) => status);
    const socket = await new Promise((over) => {
      const opened = new WebSocket(`ws://${location.host}/ws`, ["colloquy"]);
      opened.addEventListener("open", () => over("open"));
      opened.addEventListener("error", () => over("refused"));
    });
    const body = '{"content":"x","msgId":"1"}';
    return [
      await ask("/api/projects"),
      await ask("/api/projects/shop/dialogs", { method: "POST", headers: { "content-type": "application/json" }, body }),
      socket,
    ];
  });
  expect(tried).toEqual([403, 403, "refused"]);
  expect(projects[0]?.dialogs.count()).toBe(1);
});
