import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readServerFile } from "@colloquy/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { closeBrowser, folder, openBrowser, picture, portToKeep, served, soloFiles, visit } from "./house.ts";
import { rules } from "./stories.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

test("[U10] [U11] a dialog streams, survives a reload without duplicates, and is stopped, resumed and renamed", async () => {
  const { link } = await served(folder(soloFiles(rules)));
  const { page } = await visit(link, "/new");
  await page.getByRole("textbox", { name: "What should it do?" }).fill("count slowly");
  await page.getByRole("button", { name: "Start" }).click();
  const log = page.getByRole("log");
  await log.getByText("One.", { exact: true }).waitFor();
  await page.reload();
  await log.getByText("Three, and done.").waitFor();
  await expect.poll(() => log.getByText("One.", { exact: true }).count()).toBe(1);
  await page.getByRole("textbox", { name: "Message" }).fill("again, slowly");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect.poll(() => log.getByText("Three, and done.").count()).toBe(2);
  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("textbox", { name: "Rename" }).fill("Counting");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Counting" }).waitFor();
});

test("[CL26] while a dialog of 100 steps plays, its page and the inbox send no request", async () => {
  const STEPS = 100;
  const steps = Array.from({ length: STEPS - 1 }, (_, nth) => ({
    when: { step: nth + 1 },
    do: [{ say: `Step ${nth + 1}.` }, { call: { tool: "write_file", input: { path: `walk/${nth}.md`, content: `${nth}` } } }],
  }));
  const greeting = { when: { step: 1, text: "hello" }, do: { say: "Ready to walk." } };
  const { link, projects } = await served(folder(soloFiles([greeting, ...steps, { do: { say: "All walked." } }])));
  const dialog = await projects[0]?.dialogs.create({ content: "hello" });
  await dialog?.result();
  const { page, context } = await visit(link, `/d/${dialog?.id}`);
  await page.getByRole("log").getByText("Ready to walk.").waitFor();
  const inbox = await context.newPage();
  await inbox.goto(new URL("/", link).href);
  await inbox.getByRole("heading", { level: 1 }).waitFor();
  for (const one of [page, inbox]) await one.waitForLoadState("networkidle");
  const asked: string[] = [];
  for (const one of [page, inbox]) one.on("request", (request) => request.url().includes("/api/") && asked.push(request.url()));
  await projects[0]?.dialogs.send(dialog?.id ?? "", { content: "walk" });
  await page.getByRole("log").getByText("All walked.").waitFor();
  await page.getByText(`Step ${STEPS - 1}.`).waitFor();
  expect(asked).toEqual([]);
});

test("[U21] streamed text keeps its element when it is recorded", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "count slowly" });
  const { page } = await visit(link, `/d/${dialog?.id}`);
  // As Markdown: until that part of the page is loaded, the text is plain.
  const said = page
    .getByRole("log")
    .locator(".prose-text p:not(.whitespace-pre-wrap)")
    .filter({ hasText: /^One\./ });
  await said.waitFor();
  await said.evaluate((element) => element.setAttribute("data-known", "yes"));
  await dialog?.result();
  await page.getByRole("tabpanel").getByText("Lead is idle").waitFor();
  expect(await said.getAttribute("data-known")).toBe("yes");
});

test("[U26] completions: agents at the start are addressed, files and dialogs are inserted into the text", async () => {
  const more = "  potter: { name: Potter, role: You make bowls. }\n";
  const { link, projects } = await served(folder({ ...soloFiles(rules, more), "src/orders.ts": "" }));
  const other = await projects[0]?.dialogs.create({ content: "Order 1042" });
  const dialog = await projects[0]?.dialogs.create({ content: "hello" });
  await Promise.all([other?.result(), dialog?.result()]);
  const { page } = await visit(link, `/d/${dialog?.id}`, { width: 1400 });
  const field = page.getByRole("textbox", { name: "Message" });
  await field.pressSequentially("@po");
  await page.getByRole("option", { name: /Potter/ }).waitFor();
  await picture(page, "completion-light");
  await page.keyboard.press("Enter");
  // At once, like a fast typist: the caret must be in place.
  await field.pressSequentially("see @ords");
  await page.getByRole("button", { name: "Do not address Potter" }).waitFor();
  await page.getByRole("option", { name: "src/orders.ts" }).waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => field.inputValue()).toBe("see src/orders.ts ");
  await field.pressSequentially("and #1042");
  await page.getByRole("option", { name: /Order 1042/ }).click();
  await expect.poll(() => field.inputValue()).toBe(`see src/orders.ts and “Order 1042” (#${other?.id.slice(-6)}) `);
  await page.keyboard.press("Enter");
  const sent = async () => JSON.stringify(await projects[0]?.dialogs.events(dialog?.id ?? ("" as never)));
  await expect.poll(sent).toContain('"to":["potter"]');
});

test("[U27] a pasted picture is sent with a message or a new dialog, and shown", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const { page, complaints } = await visit(link, "/new");
  const paste = (name: string) =>
    page.getByRole("textbox", { name }).evaluate(async (element) => {
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = 80;
      canvas.getContext("2d")?.fillRect(0, 0, 40, 80);
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([blob ?? ""], "shot.png", { type: "image/png" }));
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    });
  await paste("What should it do?");
  await page.getByRole("img", { name: "shot.png" }).waitFor();
  await page.getByRole("textbox", { name: "What should it do?" }).fill("What is this?");
  await page.getByRole("button", { name: "Start" }).click();
  const shown = page.getByRole("log").getByRole("img", { name: "Picture" });
  await expect.poll(() => shown.count()).toBe(1);
  await page.getByRole("textbox", { name: "Message" }).fill("And this?");
  await paste("Message");
  await page.getByRole("button", { name: "Remove shot.png" }).waitFor();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect.poll(() => shown.count()).toBe(2);
  await expect.poll(() => shown.last().evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(80);
  await picture(page, "images-light");
  expect((await projects[0]?.questions.list())?.length).toBe(0);
  expect(complaints).toEqual([]);
});

test("[U28] courses are reached by the panel, the divider and an address", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "the very first" });
  await dialog?.result();
  for (const course of ["second", "third"]) {
    await projects[0]?.dialogs.clearMind(dialog?.id ?? ("" as never));
    for (let nth = 1; nth <= 12; nth++) {
      await dialog?.send(`${course} course, message ${nth}`);
      await dialog?.result();
    }
  }
  const { page } = await visit(link, `/p/shop/d/${dialog?.id}`, { width: 1400, height: 600 });
  const log = page.getByRole("log");
  await log.getByText("third course, message 12", { exact: true }).waitFor();
  await page.getByRole("navigation", { name: "Courses" }).getByRole("link", { name: "Course 2" }).click();
  await log.getByText("second course, message 1", { exact: true }).waitFor();
  expect(page.url()).toContain("#c2");
  await log.getByRole("link", { name: "↑ Course 1" }).click();
  await log.getByText("the very first", { exact: true }).waitFor();
  await page.goto(new URL(`/p/shop/d/${dialog?.id}#c3`, link).href);
  await log.getByText("third course, message 1", { exact: true }).waitFor();
});

test("[U10] [U16] if the server is killed in the middle of a stream, the page says so, continues, and sends what it kept", async () => {
  // Counts also if the kept message arrives before the step is taken again.
  const count = {
    when: { seen: "slowly" },
    times: 1,
    do: ["One. ", "Two. ", "Three, and done."].flatMap((say) => [{ say }, { wait: "1500ms" }]),
  };
  const dir = folder(soloFiles([count, ...rules]));
  const start = async (port: string) => {
    const server = spawn(process.execPath, [join(import.meta.dirname, "../../cli/src/main.ts"), "-C", dir, "serve", "--port", port], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void server.kill("SIGKILL"));
    await once(server.stdout, "data");
    return server;
  };
  const first = await start(portToKeep());
  const { url = "", token = "" } = readServerFile(dir) ?? {};
  const { page } = await visit(`${url}/#token=${token}`, "/new");
  await page.getByRole("textbox", { name: "What should it do?" }).fill("count slowly");
  await page.getByRole("button", { name: "Start" }).click();
  const log = page.getByRole("log");
  await log.getByText("One.", { exact: true }).waitFor();
  first.kill("SIGKILL");
  await once(first, "exit");
  await page.getByText("Not connected since").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("and thanks");
  await page.keyboard.press("Enter");
  await page.getByText("1 answer or message will be sent").waitFor();
  await start(new URL(url).port);
  await log.getByText("Three, and done.").waitFor();
  await expect.poll(() => log.getByText("One.", { exact: true }).count()).toBe(1);
  await expect.poll(() => log.getByText("and thanks", { exact: true }).count()).toBe(1);
});

test("[U11] the Taskdoc is edited in place; concurrent changes are not overwritten", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "hello" });
  await dialog?.result();
  const { page } = await visit(link, `/d/${dialog?.id}`, { width: 1400 });
  await page.getByRole("tab", { name: "Task" }).click();
  await page.getByRole("button", { name: "Edit: Goals" }).click();
  await page.getByRole("textbox", { name: "Goals" }).fill("Be *kind*.");
  // The page reads the Taskdoc at the change's event and at its command's answer: here the first read is answered last.
  const second = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  let reads = 0;
  await page.route(/\/taskdoc$/, async (route) => {
    if (++reads > 1) return route.fulfill({ response: await route.fetch() }).then(second.resolve);
    await second.promise;
    await route.fulfill({ json: { path: "", sections: {} } });
    late.resolve();
  });
  await page.getByRole("button", { name: "Save" }).click();
  await late.promise;
  await page.getByRole("tabpanel").getByText("kind").waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("button", { name: "Edit: Goals" }).click();
  await page.getByRole("textbox", { name: "Goals" }).fill("Mine.");
  const place = { rootId: dialog?.id ?? ("" as never), selfId: (dialog?.id ?? "") as never };
  await projects[0]?.dialogs.changeMind(place, "goals", "Theirs.", {});
  await page.getByText("Theirs.").waitFor();
  expect(await page.getByRole("textbox", { name: "Goals" }).inputValue()).toBe("Mine.");
  await picture(page, "taskdoc-light");
});

test("[U35] earlier messages loaded above are not new; arrivals below are counted", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "the very first" });
  await dialog?.result();
  for (let nth = 1; nth <= 600; nth++) await dialog?.send({ content: `message ${nth}`, mentions: [] });
  const { page } = await visit(link, `/p/shop/d/${dialog?.id}`);
  const log = page.getByRole("log");
  await log.getByText("message 600", { exact: true }).waitFor();
  // What is in view stays there while older ones come in above it, so it takes more than one pull.
  await expect
    .poll(async () => {
      await log.evaluate((element) => element.scrollTo({ top: 0 }));
      return log.getByText("the very first", { exact: true }).count();
    })
    .toBe(1);
  expect(await page.getByRole("button", { name: /new$/ }).count()).toBe(0);
  await dialog?.send({ content: "one more", mentions: [] });
  await page.getByRole("button", { name: "↓ 1 new" }).click();
  await log.getByText("one more", { exact: true }).waitFor();
});

test("[U8] a message's address leads to it, however old it is; a missing one is reported", async () => {
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "the very first" });
  await dialog?.result();
  for (let nth = 1; nth <= 30; nth++) {
    await dialog?.send(`message ${nth}`);
    await dialog?.result();
  }
  const { page } = await visit(link, `/p/shop/d/${dialog?.id}#e2`);
  await page.getByRole("log").getByText("the very first", { exact: true }).waitFor();
  await page.goto(new URL(`/p/shop/d/${"0".repeat(32)}`, link).href);
  await page.getByText("Dialog not found.").waitFor();
});
