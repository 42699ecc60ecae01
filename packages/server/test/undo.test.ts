import { call, MemoryLayers, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { served } from "./support.ts";

const P = "/projects/shop";

async function shop(files: Readonly<Record<string, string>>, ...commands: readonly string[]) {
  const layers = new MemoryLayers(files, Object.keys(files));
  const agents = [{ id: "lead", name: "Lead", role: "You lead.", tools: [layers.tool()], default: true }];
  const telling = { lead: [...commands.map((command) => call("run_command", { command })), say("Done.")] };
  const s = await served(telling, { agents, staging: layers });
  const dialog = await s.project.dialogs.create({ content: "go" });
  await s.project.dialogs.quiet(dialog.id);
  const calls = (await s.events(dialog.id)).flatMap((event) => (event.type === "call.ran" ? [event.call] : []));
  const undo = (id: string | undefined, msgId: string) => s.api("POST", `${P}/calls/${id}/undo`, { msgId });
  return { api: s.api, layers, dialog, calls, undo };
}

test("[SV86] a command is undone by the id of its call, once for each msgId", async () => {
  const { layers, calls, dialog, undo } = await shop({ "a.txt": "old" }, "write a.txt new");
  const first = await undo(calls[0], "m1");
  expect(first).toMatchObject({ status: 200, body: { call: calls[0], dialog: { rootId: dialog.id }, paths: ["a.txt"], more: 0 } });
  expect(layers.files.get("a.txt")).toBe("old");
  expect(await undo(calls[0], "m1")).toEqual(first);
  expect(await undo(calls[0], "m2")).toMatchObject({ status: 409, body: { error: { code: "not_undoable" } } });
});

test("[SV86] a conflict names the path and the later command, and changes nothing", async () => {
  const { layers, calls, undo } = await shop({ "a.txt": "old" }, "write a.txt 1", "write a.txt 2");
  const { status, body } = await undo(calls[0], "m1");
  expect([status, body.error.code]).toEqual([409, "undo_conflict"]);
  expect(body.error.message).toContain(`a.txt: changed since by a later command, ${calls[1]}`);
  expect(layers.files.get("a.txt")).toBe("2");
  expect((await undo(calls[1], "m2")).status).toBe(200);
  expect((await undo(calls[0], "m3")).status).toBe(200);
  expect(layers.files.get("a.txt")).toBe("old");
});

test("[SV86] an unknown call is refused with those that can be undone", async () => {
  const { api, calls } = await shop({}, "write a.txt 1");
  const unknown = await api("POST", `${P}/calls/${"0".repeat(32)}/undo`, { msgId: "m1" });
  expect([unknown.status, unknown.body.error.code]).toEqual([409, "not_undoable"]);
  expect(unknown.body.error.message).toContain(calls[0]);
});
