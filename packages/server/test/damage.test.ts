import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFolder } from "./folder.ts";
import { serve } from "../src/serve.ts";
import { readServerFile } from "../src/server-file.ts";
import { connect } from "./support.ts";

/** A server over a project on disk, in this process. */
const serving = (dir: string) => serve({ dirs: [dir], port: 0, version: "test", report: () => undefined });

test("[SV85] with one damaged tree the server starts, lists all others, and refuses only that tree", async () => {
  const dir = projectFolder();
  const first = await serving(dir);
  const [project] = first.projects;
  const made = async (content: string) => {
    const dialog = await project?.dialogs.create({ content });
    await project?.dialogs.quiet(dialog?.id ?? "");
    return dialog?.id ?? "";
  };
  const [unread, gone, whole] = [await made("decide this"), await made("decide that"), await made("decide all")];
  await first.close();
  const path = join(dir, ".dialogs/run", unread, "course-001.jsonl");
  writeFileSync(path, readFileSync(path, "utf8").replace('"type":"message.added"', '"type":"message.sangg"'));
  rmSync(join(dir, ".dialogs/run", gone), { recursive: true });
  rmSync(join(dir, ".dialogs/commits.index"));

  const second = await serving(dir);
  try {
    const token = readServerFile(dir)?.token ?? "";
    const get = async (where: string) => {
      const response = await fetch(`${second.url}/api/projects/shop${where}`, { headers: { authorization: `Bearer ${token}` } });
      return { status: response.status, body: (await response.json()) as Record<string, readonly Record<string, unknown>[]> };
    };
    const { body: inbox } = await get("/questions?status=open");
    expect(inbox.questions).toMatchObject([{ dialog: { rootId: whole } }]);
    expect((await get("/notifications?status=open")).body.notifications).toHaveLength(1);
    const { body: list } = await get("/dialogs");
    const damaged = new Map(list.dialogs?.map((row) => [row.rootId, row.damaged]));
    expect(damaged.get(whole)).toBeUndefined();
    expect(damaged.get(unread)).toContain("course-001.jsonl:2 cannot be read. Only this dialog is affected. colloquy doctor");
    expect(damaged.get(gone)).toContain("course-001.jsonl:1 cannot be read.");
    expect(await get(`/dialogs/${unread}`)).toMatchObject({ status: 500, body: { error: { code: "log_corrupt" } } });
    expect((await fetch(`${second.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);

    const socket = await connect(second.url, { token });
    expect(await socket.send({ type: "subscribe", dialog: { rootId: unread }, after: 0 })).toMatchObject({
      type: "refused",
      code: "log_corrupt",
    });
    expect(await socket.send({ type: "subscribe", dialog: { rootId: whole }, after: 0 })).toMatchObject({ type: "accepted" });
    expect(await socket.send({ type: "subscribe", project: "shop" })).toMatchObject({ type: "accepted" });
    const [question] = inbox.questions ?? [];
    await second.projects[0]?.questions.answer(String(question?.id), { choice: ["A"] });
    await second.projects[0]?.dialogs.quiet(whole);
    expect((await second.projects[0]?.dialogs.view(whole))?.state).toBe("idle");
  } finally {
    await second.close();
  }
});
