import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readServerFile, serve, type Serving } from "@colloquy/server";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

export const webDir = join(import.meta.dirname, "../../../dist/web");
/** Pictures of what the tests saw. Not kept in the repository. */
const pictures = join(import.meta.dirname, "../../../.screenshots");

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of other sites, which all lead to this machine.
  "--host-resolver-rules=MAP *.example 127.0.0.1",
];

let browser: Browser | undefined;

/** One browser for all tests of a file; each test has a context of its own. */
export async function openBrowser(): Promise<void> {
  if (!existsSync(join(webDir, "index.html"))) throw new Error("The web app is not built. Build it: npm run build");
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ARGUMENTS });
}

export const closeBrowser = async (): Promise<void> => browser?.close();

/** For a server that is killed and started again: no other test's server may get the port in between. */
export const portToKeep = (): string => String(20_000 + (process.pid % 10_000));

export const emptyFolder = (): string => join(mkdtempSync(join(tmpdir(), "colloquy-web-")), "shop");

/** A second project: its folder has another name. */
export const beside = (files: Readonly<Record<string, string>>): string => folder(files, join(emptyFolder(), "../lab"));

/** A project folder with these files. */
export function folder(files: Readonly<Record<string, string>>, dir = emptyFolder()): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

/** A team of one whose model plays these rules. */
export const soloFiles = (rules: readonly unknown[], more = ""): Readonly<Record<string, string>> => ({
  "colloquy.yaml": `defaults: { model: scripted/play }\nagents:\n  lead: { name: Lead, role: "You lead.", tools: [files, shell], default: true }\n${more}`,
  // Every JSON text is a YAML text.
  "scripts/play.yaml": JSON.stringify({ rules }),
});

export async function served(...dirs: readonly string[]): Promise<Serving> {
  // No key of the machine: what these teams need is in their folders.
  const serving = await serve({ dirs, env: {}, port: 0, version: "test", webDir, report: () => undefined });
  onTestFinished(() => serving.close());
  const { url, projects } = serving;
  // Several browsers of a test come in by one link; that of the server is for one.
  const token = readServerFile(projects[0]?.dir ?? "")?.token ?? "";
  return { ...serving, link: `${url}/#token=${token}`, close: () => serving.close() };
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the content policy had to stop, and what went wrong in the page. */
  readonly complaints: readonly string[];
}

export interface Look {
  readonly theme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
  readonly locale?: string;
}

/** A person's browser at a page of the served app. */
export async function visit(
  link: string,
  path = "/",
  { theme = "light", width = 1280, height = 840, locale = "en-GB" }: Look = {},
  prepare: (page: Page) => Promise<unknown> = async () => undefined,
): Promise<Visit> {
  if (!browser) throw new Error("There is no browser: call openBrowser first.");
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, locale, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  // Runs normally; a test may advance it instead of waiting.
  await page.clock.install();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on(
    "console",
    (message) => message.type() === "error" && /Content Security Policy|Refused to/.test(message.text()) && complaints.push(message.text()),
  );
  await prepare(page);
  await page.goto(link);
  await page.waitForFunction(() => !location.hash.includes("token="));
  await page.waitForSelector("nav, [role=status], main");
  if (path !== "/") await page.goto(new URL(path, link).href);
  return { page, context, complaints };
}

export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
