import { say } from "@colloquy/testing/internals";
import { TreeSpans } from "../../tracing/src/tree-spans.ts";
import { expect, test } from "vitest";
import { served, TOKEN } from "./support.ts";

const DIALOGS = "/projects/shop/dialogs";
const caller = (nth: number) => ({ traceId: String(nth).repeat(32), spanId: String(nth).repeat(16) });
const from = (traceparent: string) => ({ authorization: `Bearer ${TOKEN}`, traceparent });
const parentOf = (nth: number) => `00-${caller(nth).traceId}-${caller(nth).spanId}-01`;

test("[OT8] a turn is linked to the span of the request that brought its message", async () => {
  const { api, project } = await served({ lead: () => say("Done.") });
  const first = { content: "One", msgId: "m1" };
  const { body: made } = await api("POST", DIALOGS, first, from(parentOf(1)));
  await project.dialogs.quiet(made.rootId);
  await api("POST", `${DIALOGS}/${made.rootId}/messages`, { content: "Two", msgId: "m2" }, from(parentOf(2)));
  await project.dialogs.quiet(made.rootId);
  await api("POST", `${DIALOGS}/${made.rootId}/messages`, { content: "Three", msgId: "m3" }, from("nonsense"));
  await project.dialogs.quiet(made.rootId);
  // A repetition has another span, and is the same command.
  expect(await api("POST", DIALOGS, first, from(parentOf(4)))).toMatchObject({ status: 201, body: { rootId: made.rootId } });
  const again = await api("POST", `${DIALOGS}/${made.rootId}/messages`, { content: "Two", msgId: "m2" }, from(parentOf(4)));
  expect(again.status).toBeLessThan(300);
  const spans = new TreeSpans(made.rootId);
  const all = (await project.dialogs.events(made.rootId)).flatMap((line) => spans.fold(line));
  const turns = all.filter(({ name }) => name.startsWith("invoke_agent"));
  expect(turns.map(({ links }) => links)).toEqual([[caller(1)], [caller(2)], []]);
});
