import { call } from "@colloquy/testing/internals";
import { ClientPacket, ROUTES, type Route } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connect, served, TOKEN } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] })] };
const SEED = 20_261_116;
const hex = fc.string({ unit: fc.constantFrom(..."0123456789abcdef".split("")), minLength: 32, maxLength: 32 });
const anything = fc.anything({ withNullPrototype: false, withBigInt: false, maxDepth: 2 });
const text = fc.oneof(fc.string(), hex, fc.constantFrom("", "\u0000", "__proto__", "constructor", "../..", "%2e%2e"));

test("[SV28] ten thousand invalid packets and requests are refused, and change neither server nor log", async () => {
  const w = await served(asking);
  const client = await connect(w.server.url);
  const made = await client.send({ type: "create_dialog", content: "Decide", msgId: "m1" });
  const rootId = made.type === "accepted" ? (made.dialog?.rootId ?? "") : "";
  await w.project.dialogs.quiet(rootId as never);
  const before = await w.events(rootId as never);
  const { pos } = w.project.health();

  const types = ClientPacket.options.map((option) => option.shape.type.value);
  const fields = [
    "dialog",
    "questionId",
    "content",
    "msgId",
    "after",
    "choice",
    "shown",
    "project",
    "selector",
    "phase",
    "scope",
    "mentions",
  ];
  // Packets of known kinds with random fields. One wrong field in each makes sure that none is valid.
  const nearly = fc
    .record({ type: fc.constantFrom(...types), requestId: text })
    .chain((head) =>
      fc
        .dictionary(fc.constantFrom(...fields), fc.oneof(text, anything, fc.record({ rootId: hex }), fc.constant({ rootId })))
        .map((rest) => JSON.stringify({ ...rest, ...head, nonsense: 1 })),
    );
  const broken = fc.oneof(
    nearly,
    anything.map((value) => JSON.stringify(value) ?? "undefined"),
    text,
    nearly.map((one) => one.slice(0, -1)),
  );
  const packets = fc.sample(broken, { numRuns: 6_000, seed: SEED });
  for (const packet of packets) client.sendRaw(packet);
  await client.send({ type: "presence" });
  expect(client.of("refused")).toHaveLength(packets.length);
  expect(client.of("accepted")).toHaveLength(2);

  const paths = ROUTES.filter((route: Route) => route.path !== "/health" && !route.path.endsWith("/stream") && route.name !== "testModel");
  const requests = fc.sample(
    fc.record({
      route: fc.constantFrom(...paths),
      ids: fc.array(text, { minLength: 3, maxLength: 3 }),
      isHere: fc.boolean(),
      body: fc.oneof(
        text,
        anything.map((value) => JSON.stringify(value) ?? ""),
        fc.constant('{"nonsense":1}'),
      ),
      query: fc.oneof(
        fc.constant(""),
        text.map((one) => `?${encodeURIComponent(one)}=${encodeURIComponent(one)}`),
      ),
    }),
    { numRuns: 4_000, seed: SEED },
  );
  const strange: string[] = [];
  const ask = async ({ route, ids, isHere, body, query }: (typeof requests)[number]) => {
    let nth = 0;
    const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) =>
      name === "pid" && isHere ? "shop" : encodeURIComponent(ids[nth++ % 3] || "x"),
    );
    const hasBody = route.method !== "GET" && body !== "" && body.trim() !== "{}";
    const response = await fetch(`${w.server.url}/api${path}${query}`, {
      method: route.method,
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(hasBody && { body }),
    });
    const answer = (route.gives && response.ok ? (await response.arrayBuffer(), {}) : await response.json()) as {
      error?: { code: string };
    };
    const isRead = route.method === "GET" && response.status === 200;
    if (!isRead && (response.status < 400 || response.status >= 500 || answer.error?.code === undefined))
      strange.push(`${route.method} ${path}${query} ${response.status} ${JSON.stringify(answer).slice(0, 200)}`);
  };
  for (let from = 0; from < requests.length; from += 20) await Promise.all(requests.slice(from, from + 20).map(ask));
  expect(strange).toEqual([]);
  expect(w.reports).toEqual([]);
  expect(w.project.health().pos).toBe(pos);
  expect(await w.events(rootId as never)).toEqual(before);
  expect(await client.send({ type: "presence" })).toMatchObject({ type: "accepted" });
});
