// Kills the process before each step of applying, and lets another process finish.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { layers } from "../layers.ts";
import { contentOf, project, staged } from "../testing.ts";

const COMMAND = [
  "echo changed > changed; rm deleted; rm -r folder; mkdir new; echo n > new/n",
  "rm to-folder; mkdir to-folder; echo in > to-folder/in; rm -r to-file; echo file > to-file",
  "rm link; ln -s new link; mv moved moved2; chmod 755 script; : > emptied",
].join("\n");

function story(): string {
  const files = ["changed", "deleted", "folder/a", "folder/b", "to-folder", "to-file/x", "moved/m", "script", "emptied"];
  const dir = project(Object.fromEntries(files.map((path) => [path, `${path} before`])));
  symlinkSync("folder", join(dir, "link"));
  return dir;
}

const here = (name: string) => JSON.stringify(fileURLToPath(new URL(name, import.meta.url)));

/** Applies it in a separate process that is killed before step `nth`. Returns the step, or undefined if it completed. */
function applyUntil(dir: string, callId: string, nth: number): string | undefined {
  const script = `import { writeSync } from "node:fs";
    import { applyLayer } from ${here("./apply-layer.ts")};
    import { LayerFolder } from ${here("../layer-folder.ts")};
    let left = ${nth};
    applyLayer(new LayerFolder(${JSON.stringify(dir)}, ${JSON.stringify(callId)}), (step) => {
      if (left-- > 0) return;
      writeSync(1, step);
      process.kill(process.pid, "SIGKILL");
    });`;
  const { signal, stdout, status, stderr } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", script], {
    encoding: "utf8",
  });
  if (signal === "SIGKILL") return stdout;
  expect([status, stderr]).toEqual([0, ""]);
  return undefined;
}

test("[LY7] after a kill before any step of applying, recovery finishes it: all or nothing", async () => {
  const origin = story();
  const before = contentOf(origin);
  const { callId } = await staged(origin, COMMAND);
  await layers.apply(callId, origin);
  const after = contentOf(origin);
  expect(after).not.toEqual(before);

  const steps: string[] = [];
  for (let nth = 0; ; nth += 1) {
    const dir = story();
    const { callId: call } = await staged(dir, COMMAND);
    const step = applyUntil(dir, call, nth);
    if (step === undefined) {
      expect(contentOf(dir)).toEqual(after);
      break;
    }
    steps.push(step);
    await layers.sweep(dir, async () => true);
    await layers.recover(dir);
    // Before the marker exists nothing has happened; the call is still open, and the decision applies it.
    expect([step, contentOf(dir)]).toEqual([step, step === "marker" ? before : after]);
    expect(await layers.apply(call, dir)).toEqual({ conflicts: [], notes: [] });
    expect([step, contentOf(dir)]).toEqual([step, after]);
  }
  expect(steps.length).toBeGreaterThan(20);
  expect(steps).toEqual(expect.arrayContaining(["marker", "sync", "applied", "clean up"]));
}, 240_000);

test("[LY7] killed again while it recovers", async () => {
  const dir = story();
  const { callId } = await staged(dir, COMMAND);
  let kills = 0;
  for (let nth = 3; applyUntil(dir, callId, nth) !== undefined; nth += 4) kills += 1;
  expect(kills).toBeGreaterThan(3);
  const other = story();
  const { apply } = await staged(other, COMMAND);
  await apply();
  expect(contentOf(dir)).toEqual(contentOf(other));
});

test("[LY9] a person's change after a crash stays, and the command's version is kept", async () => {
  const dir = story();
  const { callId } = await staged(dir, COMMAND);
  const step = applyUntil(dir, callId, 1);
  expect(step).toBe("0 put changed");
  writeFileSync(join(dir, "changed"), "a person's");
  writeFileSync(join(dir, "deleted"), "a person's too");
  mkdirSync(join(dir, "new"));
  writeFileSync(join(dir, "new/theirs"), "theirs");
  await layers.recover(dir);
  const { notes } = await layers.apply(callId, dir);
  expect(notes).toEqual([
    expect.stringMatching(/^Somebody changed changed, deleted, new while this was being applied\. Their version stays/),
  ]);
  expect([readFileSync(join(dir, "changed"), "utf8"), readFileSync(join(dir, "deleted"), "utf8"), readdirSync(join(dir, "new"))]).toEqual([
    "a person's",
    "a person's too",
    ["theirs"],
  ]);
  expect(readFileSync(join(dir, ".dialogs/refused", callId, "changed"), "utf8")).toBe("changed\n");
  expect([existsSync(join(dir, "folder")), existsSync(join(dir, "moved2/m"))]).toEqual([false, true]);
});
