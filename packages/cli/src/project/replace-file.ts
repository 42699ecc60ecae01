import { rename, rm, writeFile } from "node:fs/promises";

/** Puts a file in place of what has this name. A link there is replaced, and not written through: a folder from elsewhere may bring one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
}
