import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addToBackup, openProject, restoreProject } from "@colloquy/library";
import { call, say, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-backup-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("[CA23] [CA24] a backup that is made under load has every commit up to its end, and none after it", async () => {
  const [dir, there, kept] = [folder(), folder(), folder()];
  const model = toldModel({ lead: ({ messages }) => (messages.length < 4 ? call("add_reminder", { content: "Go on." }) : say("Done.")) });
  const open = (at: string) => {
    const agents = [{ id: "lead", role: "You lead.", default: true }];
    return openProject({ dir: at, agents, model: model.name, findModel: () => model, report: () => undefined });
  };
  const project = await open(dir);
  let isOver = false;
  const work = (async () => {
    for (let n = 0; n < 120; n += 1) {
      const dialogs = await Promise.all([0, 1, 2].map((nth) => project.dialogs.create({ content: `Dialog ${n} ${nth}` })));
      for (const dialog of dialogs) await dialog.result();
      if (n % 10 === 5) await project.dialogs.delete(dialogs[1]?.id ?? "");
    }
    isOver = true;
  })();
  let last = 0;
  let parts = 0;
  while (!isOver) {
    const { file, pos } = await addToBackup(kept, (query) => project.backup(query));
    if (file !== undefined) parts += 1;
    expect(pos).toBeGreaterThanOrEqual(last);
    last = pos;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await work;
  expect(parts).toBeGreaterThan(2);
  writeFileSync(join(there, "colloquy.yaml"), "language: en\n");
  const restored = await restoreProject(there, {}, kept);
  expect(restored.trees).toBeGreaterThan(0);
  const again = await openProject({
    dir: there,
    agents: [],
    model: model.name,
    findModel: () => model,
    drive: "none",
    report: () => undefined,
  });
  for (const { rootId } of project.dialogs.list()) {
    const lines = (await project.dialogs.events(rootId))
      .filter(({ pos }) => pos <= last)
      .map(({ seq, at, events }) => ({ seq, at, events }));
    const found = lines.length === 0 ? [] : (await again.dialogs.events(rootId)).map(({ seq, at, events }) => ({ seq, at, events }));
    expect(found).toEqual(lines);
  }
  await again.close();
  await project.close();
});
