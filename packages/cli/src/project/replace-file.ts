import { rename, rm, writeFile } from "node:fs/promises";

/** Replaces the file with this name. A link is replaced, not written through: an untrusted folder may contain one. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}.draft`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600, flag: "wx" });
  await rename(draft, file);
}
