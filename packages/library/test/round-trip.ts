import type { Project } from "@colloquy/library";
import type { RootId } from "@colloquy/schema";
import { expect } from "vitest";

const AT_ONCE = 50;

async function linesOf(project: Project, rootId: RootId): Promise<readonly string[]> {
  return (await project.dialogs.events(rootId)).map((line) => JSON.stringify(line));
}

/**
 * Makes this many dialogs, exports them, deletes them and imports them, each in a process of its own: their logs are what they were. `closed`
 * is called whenever a process has ended.
 */
export async function roundTrip(open: () => Promise<Project>, count: number, closed: (moment: "full" | "empty" | "back") => void) {
  let project = await open();
  for (let made = 0; made < count; made += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, nth) => project.dialogs.create({ content: `Dialog ${made + nth}` }));
    for (const dialog of await Promise.all(some)) await dialog.result();
  }
  await project.close();
  closed("full");

  project = await open();
  const ids = project.dialogs.list().map(({ rootId }) => rootId);
  expect(ids).toHaveLength(count);
  const before = new Map<RootId, readonly string[]>();
  for (const rootId of ids) before.set(rootId, await linesOf(project, rootId));
  const file: Uint8Array[] = [];
  for await (const part of await project.dialogs.exportAll()) file.push(part);
  for (let n = 0; n < count; n += AT_ONCE) await Promise.all(ids.slice(n, n + AT_ONCE).map((rootId) => project.dialogs.delete(rootId)));
  expect(project.dialogs.list()).toEqual([]);
  await project.close();
  closed("empty");

  project = await open();
  expect(project.dialogs.list()).toEqual([]);
  const imported = await project.import(parts(file));
  expect(imported.every(({ from, rootId }) => from === rootId)).toBe(true);
  expect(project.dialogs.list().map(({ rootId }) => rootId)).toEqual(ids);
  for (const [rootId, lines] of before) {
    const after = await linesOf(project, rootId);
    expect(after.slice(0, -1)).toEqual(lines);
  }
  await project.close();
  closed("back");
}

async function* parts(file: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* file;
}
