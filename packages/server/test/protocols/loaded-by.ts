import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** What the server's code loads of these packages of ours, before any request. */
export async function loadedBy(...names: readonly string[]): Promise<unknown> {
  const index = new URL("../../src/index.ts", import.meta.url).href;
  const code = `
    import { registerHooks } from "node:module";
    const loaded = [];
    const names = ${JSON.stringify(names.map((name) => `@colloquy/${name}`))};
    registerHooks({ resolve(name, context, next) { if (names.includes(name)) loaded.push(name); return next(name, context); } });
    await import(${JSON.stringify(index)});
    console.log(JSON.stringify(loaded));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--no-warnings", "--eval", code]);
  return JSON.parse(stdout) as unknown;
}
