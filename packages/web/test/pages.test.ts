import { basename } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoFiles, demoMessage } from "../../cli/src/templates/demo.ts";
import { findings } from "./axe.ts";
import { beside, closeBrowser, folder, openBrowser, picture, served, soloFiles, visit } from "./house.ts";
import { approvals, rules } from "./stories.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

// Colours depend on the theme and the layout on the width: each is seen once.
test.each([
  ["light", 1400, 860],
  ["dark", 390, 780],
] as const)("[U14] [U13] axe finds nothing on any page: %s, %i wide", async (theme, width, height) => {
  const { link, projects } = await served(folder(demoFiles), beside(soloFiles(rules, approvals)));
  const dialog = await projects[0]?.dialogs.create({ content: demoMessage });
  for (const content of ["thrice", "write plan"]) await projects[1]?.dialogs.create({ content });
  const { page, complaints } = await visit(link, "/", { theme, width, height });
  const found: string[] = [];
  const look = async (name: string) => {
    await page.evaluate(() => document.fonts.ready);
    await picture(page, `${name}-${theme}-${width}`);
    found.push(...(await findings(page)).map((one) => `${name}: ${one}`));
  };
  await page.getByText("What do we offer Ines Brandt").first().waitFor();
  await look("inbox");
  const isPhone = width < 640;
  const card = async (name: string, headline: string) => {
    if (isPhone) await page.goto(new URL("/", link).href);
    await page.getByRole("button", { name: headline }).first().click();
    await page.getByRole("article", { name: headline }).first().waitFor();
    await look(name);
  };
  await card("bundle", "May the first go?");
  await card("approval", "New file danger/plan.md");
  await page.goto(new URL("/", link).href);
  await page.getByRole("button", { name: "Answered" }).click();
  await page.getByText("No answers yet.").waitFor();
  await look("answered");
  for (const [name, key] of [
    ["keys", "?"],
    ["palette", "Control+k"],
  ] as const) {
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor();
    await look(name);
    await page.keyboard.press("Escape");
  }
  const pages: readonly (readonly [string, string, string])[] = [
    ["dialog", `/p/shop/d/${dialog?.id}`, "Asked Potter"],
    ["timeline", `/p/shop/d/${dialog?.id}/timeline`, "Everything is waiting for you"],
    ["dialogs", "/dialogs", "Order 1042 arrived broken"],
    ["activity", "/activity", "Order 1042 arrived broken"],
    ["new", "/new", "Who should do it?"],
    ["settings", "/settings", "Test"],
    ["nowhere", "/nowhere/at/all", "Page not found."],
  ];
  for (const [name, path, text] of pages) {
    await page.goto(new URL(path, link).href);
    await page.getByText(text).first().waitFor();
    await look(name);
  }
  await page.goto(new URL(`/p/shop/d/${dialog?.id}`, link).href);
  if (isPhone) await page.getByRole("button", { name: "Open the side panel" }).click();
  for (const name of ["Tree", "Task", "Notes"]) {
    await page.getByRole("tab", { name }).click();
    await look(`panel-${name.toLowerCase()}`);
  }
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test("[U19] a part that fails to load is retried, with a fallback meanwhile", async () => {
  const { link, projects } = await served(folder(demoFiles));
  await projects[0]?.dialogs.create({ content: demoMessage });
  let isAway = true;
  let refused = 0;
  const { page } = await visit(link, "/", {}, (opened) =>
    opened.route(/markdown-rendered/, (route) => {
      if (!isAway) return route.continue();
      refused += 1;
      return route.abort("connectionrefused");
    }),
  );
  await page.getByRole("heading", { name: /What do we offer Ines Brandt/ }).waitFor();
  await page.getByText("One of two tea bowls").first().waitFor();
  await expect.poll(() => refused).toBeGreaterThan(1);
  isAway = false;
  await expect.poll(() => page.locator(".prose-text p:not(.whitespace-pre-wrap)").count()).toBeGreaterThan(0);
});

test("[U8] an unknown address says so, and leads to the inbox", async () => {
  const { link } = await served(folder(demoFiles));
  const { page } = await visit(link, "/nowhere/at/all");
  await page.getByRole("heading", { name: "Page not found." }).waitFor();
  await page.getByRole("link", { name: "Go to the inbox" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
});

test("[U15] on a phone: list, card, answer, back, with large touch targets", async () => {
  const { link, projects } = await served(folder(demoFiles));
  await projects[0]?.dialogs.create({ content: demoMessage });
  const { page } = await visit(link, "/", { width: 390, height: 780 });
  await page.getByRole("button", { name: "What do we offer Ines Brandt for the broken bowl?" }).click();
  for (const choice of await page.getByRole("radio").all()) expect((await choice.boundingBox())?.height).toBeGreaterThanOrEqual(48);
  await picture(page, "phone-card");
  await page.getByRole("radio", { name: /New pair/ }).click();
  await page.getByRole("button", { name: "Answer", exact: true }).click();
  await page.getByText("Potter continues").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test("[U15] on a phone a long change can be approved only after scrolling to its end", async () => {
  const { link, projects } = await served(folder(soloFiles(rules, approvals)));
  const dialog = await projects[0]?.dialogs.create({ content: "long" });
  const { page } = await visit(link, "/", { width: 390, height: 780 });
  await page.getByRole("button", { name: /danger\/long.md/ }).click();
  const approve = page.getByRole("button", { name: "Approve once" });
  await page.getByText("Scroll to the end first.").waitFor();
  expect(await approve.isDisabled()).toBe(true);
  await picture(page, "phone-long-approval");
  await page.getByRole("group", { name: "danger/long.md" }).evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await expect.poll(() => approve.isEnabled()).toBe(true);
  await approve.click();
  expect(await dialog?.result()).toBe("Written.");
});

test("[U15] a swipe snoozes a row or opens its dialog; it never decides", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: "ask database" });
  await projects[0]?.dialogs.create({ content: "ask cache" });
  const { page, context } = await visit(link, "/", { width: 390, height: 780 });
  const touch = await context.newCDPSession(page);
  await touch.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const swipe = async (name: string, by: number) => {
    const box = await page.getByRole("button", { name }).boundingBox();
    const [x, y] = [(box?.x ?? 0) + 180, (box?.y ?? 0) + 30];
    await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }] });
    for (const share of [0.25, 0.5, 0.75, 1])
      await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: x + by * share, y }] });
    await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  };
  await swipe("Which database?", 150);
  await expect.poll(() => page.getByRole("button", { name: "Which database?" }).count()).toBe(0);
  await swipe("Which cache?", -150);
  await page.getByRole("log").getByText("ask cache").waitFor();
  expect((await projects[0]?.questions.list())?.length).toBe(2);
});

test("[U29] the first page says why a team cannot work yet, and offers the demo", async () => {
  const yaml = 'defaults: { model: anthropic/claude-sonnet-5 }\nagents:\n  lead: { name: Lead, role: "You lead.", default: true }\n';
  const { link } = await served(folder({ "colloquy.yaml": yaml }));
  const { page } = await visit(link);
  await page.getByText("Lead cannot work yet:").waitFor();
  await page.getByText("No key for anthropic. Set ANTHROPIC_API_KEY").waitFor();
  await page.getByText("npx colloquy demo").waitFor();
  await picture(page, "first-run-light-1280");
  await page.goto(new URL("/settings", link).href);
  await page.getByRole("heading", { name: "Problems" }).waitFor();
});

test("[U39] an owner sees why an MCP server is unavailable, and allows its changed program", async () => {
  const settings = `mcp: { servers: { shop: { command: ${JSON.stringify(process.execPath)}, args: [tools/server.mjs], startTimeout: 3s } } }\n`;
  const files = soloFiles([{ do: { say: "Done." } }], settings);
  const yaml = (files["colloquy.yaml"] ?? "").replace("tools: [files, shell]", "tools: [files, shell, shop]");
  const dir = folder({ ...files, "colloquy.yaml": yaml, "tools/server.mjs": "// one\n" });
  const { link, projects } = await served(dir);
  const work = async (content: string) => {
    const dialog = await projects[0]?.dialogs.create({ content });
    await dialog?.result();
  };
  await work("one");
  folder({ "tools/server.mjs": "// two\n" }, dir);
  // Other settings make a new server of it, without the pause after a failed start.
  folder({ "colloquy.yaml": `${yaml}limits: { depth: 7 }\n`.replace("startTimeout: 3s", "startTimeout: 4s") }, dir);
  await work("two");
  const { page } = await visit(link, "/settings");
  await page.getByText("tools/server.mjs changed since the server last ran").waitFor();
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByText("Allowed. It starts when an agent next needs it.").waitFor();
  await work("three");
  expect(projects[0]?.agents.servers()).toMatchObject([{ name: "shop", changed: [] }]);
});

test("[U31] activity lists recent events and decisions of every project, newest first and live", async () => {
  const { link, projects } = await served(folder(demoFiles), beside(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: demoMessage });
  const { page } = await visit(link, "/activity");
  const happened = page.getByRole("listitem");
  await happened.filter({ hasText: "Order 1042 arrived broken" }).getByRole("img", { name: "waiting for you" }).waitFor();
  const dialog = await projects[1]?.dialogs.create({ content: "ask database" });
  await projects[1]?.dialogs.quiet(dialog?.id ?? ("" as never));
  await happened.filter({ hasText: "ask database" }).waitFor();
  const [question] = (await projects[1]?.questions.list()) ?? [];
  if (question) await projects[1]?.questions.answer(question.id, { choice: [1], by: "anna" });
  await happened.filter({ hasText: "anna: SQLite" }).click();
  await page.getByRole("article", { name: "Which database?" }).waitFor();
});

test("[U30] search finds everything in every project by name, and has the focus", async () => {
  const { link, projects } = await served(folder(demoFiles), beside(soloFiles(rules)));
  await projects[0]?.dialogs.create({ content: demoMessage });
  const dialog = await projects[1]?.dialogs.create({ content: "ask saggar" });
  const { page } = await visit(link);
  await page.getByText("What do we offer Ines Brandt").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search and commands" }).waitFor();
  await page.keyboard.type("ask saggar");
  await page.getByRole("option", { name: /ask saggar/, selected: true }).waitFor();
  await picture(page, "palette-light-1280");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("ask saggar", { exact: true }).waitFor();
  expect(page.url()).toContain(`/p/lab/d/${dialog?.id}`);
});

test("[U65] Enter opens the highlighted result, even if results were added above it", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const [shop] = projects;
  for (const content of ["Tell me of glazes\nand of the saggar", "The saggar"]) await shop?.dialogs.create({ content });
  for (const { rootId } of shop?.dialogs.list() ?? []) await shop?.dialogs.quiet(rootId);
  const list = Promise.withResolvers<void>();
  const { page } = await visit(link, "/new", {}, (opened) =>
    opened.route(/\/api\/projects\/[^/]+\/dialogs\?/, (route) => list.promise.then(() => route.continue())),
  );
  await page.getByText("Who should do it?").waitFor();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search and commands" });
  await field.waitFor();
  await page.keyboard.type("saggar");
  await page.getByRole("option", { name: /saggar/, selected: true }).waitFor();
  const highlighted = (await field.getAttribute("aria-activedescendant")) ?? "";
  list.resolve();
  // What was said has a key of two parts, a dialog has its id.
  await page.locator('[role=option]:not([id*=" "])', { hasText: "The saggar" }).waitFor();
  await page.getByRole("option").nth(1).waitFor();
  expect(await field.getAttribute("aria-activedescendant")).toBe(highlighted);
  await page.keyboard.press("Enter");
  await page.waitForURL(({ pathname }) => highlighted.includes(`-${pathname.split("/").at(-1)} `));
});

test("[U7] in the timeline arrow keys move between events, and Enter opens the message; zoomed in, a strip shows the whole", async () => {
  const { link, projects } = await served(folder(demoFiles));
  const dialog = await projects[0]?.dialogs.create({ content: demoMessage });
  await projects[0]?.dialogs.quiet(dialog?.id ?? ("" as never));
  const { page } = await visit(link, `/p/shop/d/${dialog?.id}/timeline`, { width: 1400 });
  const picturePart = page.getByRole("group", { name: "Timeline of this tree" });
  await picturePart.focus();
  await page.keyboard.press("ArrowRight");
  await page.getByText("Lead: thinks").waitFor({ state: "attached" });
  await page.keyboard.press("ArrowRight");
  await page.getByText(/Lead: waiting: /).waitFor({ state: "attached" });
  for (let nth = 0; nth < 5; nth++) await page.keyboard.press("+");
  const strip = page.getByTitle("Overview; drag to move");
  await strip.waitFor();
  const before = await picturePart.evaluate((element) => element.scrollLeft);
  const box = await strip.boundingBox();
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) * 0.9, (box?.y ?? 0) + 20);
  await expect.poll(() => picturePart.evaluate((element) => element.scrollLeft)).toBeGreaterThan(before);
  await picture(page, "timeline-zoomed-light-1400");
  await picturePart.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("log").waitFor();
});

test("[U36] every page can be reached and used by keys alone", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "ask database" });
  const task = await projects[0]?.tasks.create({ title: "Fix the date", msgId: "m1" });
  const { page } = await visit(link);
  const at = (path: string) => page.waitForURL((url) => url.pathname === path);
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await page.getByRole("heading", { name: "Which database?" }).waitFor();
  await press("g", "l");
  await at(`/p/shop/d/${dialog?.id}/timeline`);
  await page.getByRole("group", { name: "Timeline of this tree" }).waitFor();
  await press("ArrowRight", "Enter");
  await at(`/p/shop/d/${dialog?.id}`);
  await page.getByRole("heading", { name: "Which database?" }).waitFor();
  await press("g", "d");
  await page.getByRole("link", { name: /ask database/ }).waitFor();
  await press("j", "Enter");
  await at(`/p/shop/d/${dialog?.id}`);
  await page.getByRole("heading", { name: "Which database?" }).waitFor();
  await press("g", "t");
  await page.getByText("Fix the date").waitFor();
  await press("ArrowDown", "Enter");
  await at(`/p/shop/t/${task?.id}`);
});

test("[U9] the page is Chinese if the browser's language is", async () => {
  const { link, projects } = await served(folder(demoFiles));
  await projects[0]?.dialogs.create({ content: demoMessage });
  const { page } = await visit(link, "/", { locale: "zh-CN" });
  await page.getByRole("heading", { name: "待办箱" }).waitFor();
  await page.getByRole("button", { name: "回答", exact: true }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh");
  await picture(page, "inbox-zh");
});

test("[U17] assets are compressed, and cached by name", async () => {
  const { link, url } = await served(folder(demoFiles));
  const { page } = await visit(link);
  const script = await page.locator("script[src]").getAttribute("src");
  const answer = await fetch(new URL(script ?? "", url), { headers: { "accept-encoding": "gzip" } });
  expect(answer.headers.get("content-encoding")).toBe("gzip");
  expect(answer.headers.get("cache-control")).toContain("immutable");
});

test("[U64] the list of dialogs shows each one's number of open questions", async () => {
  const { link, projects } = await served(folder(soloFiles(rules, approvals)));
  for (const content of ["thrice", "hello"]) await projects[0]?.dialogs.create({ content });
  const { page } = await visit(link, "/dialogs");
  const row = (name: string) => page.getByRole("list", { name: "Dialogs" }).getByRole("listitem").filter({ hasText: name });
  await row("thrice").getByText("3 questions", { exact: true }).waitFor();
  expect(
    await row("hello")
      .getByText(/question/)
      .count(),
  ).toBe(0);
  const [first] = (await projects[0]?.questions.list()) ?? [];
  await projects[0]?.questions.dismiss(first?.id ?? ("" as never), {});
  await row("thrice").getByText("2 questions", { exact: true }).waitFor();
});

test("[U69] the settings list the servers that share a project in a database, and say which are gone", async () => {
  const { link } = await served(folder(soloFiles([{ do: { say: "Done." } }])));
  const { page } = await visit(link, "/");
  const node = { place: "shop", version: "1.2.3", since: "2026-01-01T00:00:00.000Z" };
  const nodes = [
    { ...node, id: "a", url: "http://10.0.0.5:5740", trees: 1, alive: true },
    { ...node, id: "b", trees: 0, alive: false },
  ];
  await page.route(/\/api\/nodes$/, (route) => route.fulfill({ json: { nodes } }));
  await page.goto(new URL("/settings", link).href);
  const shown = page.getByRole("region", { name: "Servers of this project" });
  await shown.getByText("http://10.0.0.5:5740").waitFor();
  expect((await shown.innerText()).split(/\n+/)).toEqual(expect.arrayContaining(["shop · 1.2.3", "drives 1 dialog", "alive", "✕ gone"]));
});

test("[U68] a dialog's menu opens its trace if the settings name a page for traces", async () => {
  const { link, projects } = await served(
    folder(soloFiles(rules, `tracing: { open: "http://traces.example/trace/{traceId}?from=page" }\n`)),
    beside(soloFiles(rules)),
  );
  for (const project of projects) {
    const { id } = await project.dialogs.create({ content: "hello" });
    const { page, complaints } = await visit(link, `/p/${basename(project.dir)}/d/${id}`);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("menuitem", { name: "Timeline" }).waitFor();
    const trace = page.getByRole("menuitem", { name: "Open trace" });
    if (project === projects[0]) {
      await trace.waitFor();
      expect(await trace.getAttribute("href")).toBe(`http://traces.example/trace/${id.slice(0, 32)}?from=page`);
      expect(await trace.getAttribute("rel")).toContain("noopener");
      await Promise.all([page.context().waitForEvent("page"), trace.click()]);
    } else expect(await trace.count()).toBe(0);
    expect(complaints).toEqual([]);
  }
});
