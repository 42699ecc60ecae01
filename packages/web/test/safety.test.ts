import { afterAll, beforeAll, expect, test } from "vitest";
import { closeBrowser, folder, openBrowser, served, soloFiles, visit } from "./house.ts";

beforeAll(openBrowser);
afterAll(closeBrowser);

/** Each tries to run, and would leave a mark. */
const CORPUS = [
  "<script>window.hit=1</script>",
  "<img src=x onerror=window.hit=1>",
  "<svg onload=window.hit=1>",
  '<a href="javascript:window.hit=1">click</a>',
  "[click](javascript:window.hit=1)",
  "[click](data:text/html,<script>window.hit=1</script>)",
  "![x](javascript:window.hit=1)",
  '![x](https://example.org/pixel.png "t")',
  "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>",
  '<div style="position:fixed;inset:0" onmouseover="window.hit=1">over</div>',
  "<style>body{display:none}</style>",
  "<form action=javascript:window.hit=1><button>go</button></form>",
  "<details open ontoggle=window.hit=1>",
  "```html\n<script>window.hit=1</script>\n```",
  "<!--><img src=x onerror=window.hit=1>-->",
  "[a]: javascript:window.hit=1\n\n[click][a]",
  "<https://example.org/%22onmouseover=window.hit=1>",
].join("\n\n");

test("[U12] [U13] no text of a model, a tool, a file or a title runs as code", async () => {
  const rules = [
    {
      when: { result: "read_file" },
      do: [
        { say: CORPUS },
        {
          call: {
            tool: "askHuman",
            input: {
              headline: "<img src=x onerror=window.hit=1>",
              tellaskContent: CORPUS,
              options: [{ label: "<b onclick=window.hit=1>A</b>", pros: ["<script>window.hit=1</script>"], preview: CORPUS }],
            },
          },
        },
      ],
    },
    { do: [{ think: CORPUS }, { call: { tool: "read_file", input: { path: "<img src=x onerror=window.hit=1>.md" } } }] },
  ];
  const files = soloFiles(rules);
  const { link, projects } = await served(folder({ ...files, "<img src=x onerror=window.hit=1>.md": CORPUS }));
  const dialog = await projects[0]?.dialogs.create({ content: CORPUS, title: "<script>window.hit=1</script>" });
  const { page, complaints } = await visit(link);
  await page.getByRole("radio").click();
  await page.getByText("window.hit=1").first().waitFor();
  for (const path of ["/", `/d/${dialog?.id}`, "/dialogs", `/p/shop/d/${dialog?.id}/timeline`, "/settings"]) {
    await page.goto(new URL(path, link).href);
    if (path === "/settings") {
      // The palette, which shows texts. The page handles keys once it is loaded.
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("combobox").fill("window.hit");
    }
    await page.getByText("window.hit=1").first().waitFor();
    const folds = page.getByRole("log").getByRole("button", { expanded: false });
    for (let left = await folds.count(); left > 0; left--) await folds.first().click();
    const found = await page.evaluate(() => ({
      hit: (globalThis as { hit?: unknown }).hit,
      handlers: [...document.querySelectorAll("body *")].filter((one) => [...one.attributes].some(({ name }) => name.startsWith("on")))
        .length,
      strange: document.querySelectorAll("body script, iframe, body style, form[action], img[src^='http'], img[src='x']").length,
      links: [...document.querySelectorAll("body a")]
        .map((link) => link.getAttribute("href") ?? "")
        .filter((href) => !/^(?:https?:|mailto:|\/|#)/.test(href)),
    }));
    expect(found).toEqual({ hit: undefined, handlers: 0, strange: 0, links: [] });
  }
  expect(complaints).toEqual([]);
});

test("[U60] invisible characters in a title, a choice, a name or a command are shown as marks; Hebrew stays Hebrew", async () => {
  const rules = [
    {
      do: [
        { say: "שלום עולם" },
        {
          call: {
            tool: "askHuman",
            input: { headline: "Pay \u202Emoc.lapyap?", tellaskContent: "Which?", options: ["pay\u200Bpal", "שלום"] },
          },
        },
      ],
    },
  ];
  const { link, projects } = await served(folder(soloFiles(rules)));
  const dialog = await projects[0]?.dialogs.create({ content: "Decide", title: "\u2066bill\u2069.pdf" });
  const { page } = await visit(link);
  await page.getByRole("heading", { name: "Pay ⟨U+202E⟩moc.lapyap?" }).waitFor();
  await page.getByText("pay⟨U+200B⟩pal").waitFor();
  await page.goto(new URL(`/d/${dialog?.id}`, link).href);
  await page.getByText("⟨U+2066⟩bill⟨U+2069⟩.pdf").first().waitFor();
  await page.getByText("שלום עולם").first().waitFor();
  expect(await page.evaluate(() => /[\u202A-\u202E\u2066-\u2069\u200B]/.test(document.body.innerText))).toBe(false);
});
