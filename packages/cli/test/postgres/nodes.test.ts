import { expect, test } from "vitest";
import { newDatabase } from "../../../store-postgres/test/database.ts";
import { readServerFile } from "@colloquy/server";
import { colloquy, ended, project, start } from "../support.ts";

const ASKING = `rules:
  - { when: { step: 1 }, do: { call: { tool: askHuman, input: { headline: Which?, tellaskContent: "Which?", options: [red, blue] } } } }
  - { when: { step: 2 }, do: { say: "Painted." } }
`;

test("[PG20] [PG23] [PG26] [PG31] [PG35] two servers have one project: what one is asked, the other answers, also when the first was killed", async () => {
  const { url } = await newDatabase();
  const store = `${url}?project=shop`;
  // Lead reads files: only nodes of one place drive it.
  const settings = `defaults: { model: scripted/play }
agents:
  lead: { name: Lead, role: "You lead.", tools: [files], default: true }
server: { place: shop }
`;
  const [here, there] = [project(ASKING, { "colloquy.yaml": settings }), project(ASKING, { "colloquy.yaml": settings })];
  const serve = async (dir: string) => {
    const server = start(dir, ["serve", "--port", "0", "--store", store]);
    await server.says("Serving at");
    return server;
  };
  const [first, second] = [await serve(here), await serve(there)];
  expect(await ended(project(ASKING), ["--store", store, "doctor"])).toMatchObject({
    stdout: expect.stringContaining("postgres, 3 nodes with this one"),
  });
  const { url: at = "", token = "" } = readServerFile(there) ?? {};
  const metrics = async () => (await fetch(`${at}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  await expect.poll(metrics).toMatch(/colloquy_store_nodes\{[^}]*\} 2/);
  const { nodes } = (await (await fetch(`${at}/api/nodes`, { headers: { authorization: `Bearer ${token}` } })).json()) as {
    nodes: { url: string; place: string; version: string }[];
  };
  expect(nodes.map(({ url: where, place }) => [where, place])).toEqual([readServerFile(here)?.url, at].map((where) => [where, "shop"]));
  expect(nodes[0]?.version).toMatch(/^\d+\.\d+/);
  const listed = await colloquy(there, "nodes", "--json");
  expect(JSON.parse(listed.stdout)).toMatchObject({ nodes: nodes.map(({ url: where }) => ({ url: where, alive: true })) });
  expect((await ended(there, ["--store", store, "nodes"])).stdout).toContain(`alive\t`);
  // Waiting for a person is exit code 4.
  expect(await colloquy(here, "new", "--wait", "Paint it")).toMatchObject({ code: 4 });
  expect((await colloquy(here, "new", "--wait", "Paint that")).code).toBe(4);
  const open = JSON.parse((await colloquy(there, "questions", "--json")).stdout) as { questions: { id: string; title: string }[] };
  expect(open.questions.map(({ title }) => title).toSorted()).toEqual(["Paint it", "Paint that"]);
  const [one, two] = open.questions;
  await colloquy(there, "answer", one?.id ?? "", "--choice", "1");
  first.kill("SIGKILL");
  await first.ended;
  await colloquy(there, "answer", two?.id ?? "", "--choice", "2");
  await expect.poll(async () => (await colloquy(there, "ls")).stdout.match(/idle/g)?.length).toBe(2);
  expect((await colloquy(there, "show", "@")).stdout).toContain("Painted.");
  second.kill("SIGTERM");
  expect((await second.ended).code).toBe(0);
});
