import { realpathSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { calls, say } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { everything, open, small } from "./support.ts";

test("[MC26] resources and prompts are read by two tools", async () => {
  const { project, requests, results } = await open({
    servers: { everything },
    tools: ["everything"],
    telling: {
      lead: [
        calls(
          ["everything__resources", {}],
          ["everything__resources", { uri: "demo://resource/dynamic/text/1" }],
          ["everything__resources", { uri: "demo://resource/dynamic/blob/1" }],
          ["everything__resources", { uri: "demo://nothing" }],
          ["everything__prompts", {}],
          ["everything__prompts", { name: "args-prompt", arguments: { city: "Turin" } }],
        ),
        say("Done."),
      ],
    },
  });
  const dialog = await project.dialogs.create({ content: "Read" });
  expect(await dialog.result()).toBe("Done.");
  expect(requests[0]?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["everything__resources", "everything__prompts"]));
  const ended = await results(dialog.id);
  const outputs = ended.map(({ output }) => output).join("\n---\n");
  expect(outputs).toContain("demo://resource/dynamic/text/{resourceId}: ");
  expect(outputs).toContain("[demo://resource/dynamic/text/1]");
  expect(outputs).toMatch(/\[demo:\/\/resource\/dynamic\/blob\/1\]\n\[.*bytes, kept beside the dialog's log as/);
  expect(outputs).toContain("args-prompt (city, state?)");
  expect(outputs).toContain("[user] What's weather in Turin?");
  expect(ended.filter(({ outcome }) => outcome !== undefined)).toMatchObject([{ output: expect.stringContaining("everything: ") }]);
});

test("[MC26] a server without resources has no such tool, and one tool of a server is that tool only", async () => {
  const one = await open({ servers: { small: small("well") }, tools: ["small"], telling: { lead: [say("Done.")] } });
  expect(await (await one.project.dialogs.create({ content: "Go" })).result()).toBe("Done.");
  const two = await open({ servers: { everything }, tools: ["everything__echo"], telling: { lead: [say("Done.")] } });
  expect(await (await two.project.dialogs.create({ content: "Go" })).result()).toBe("Done.");
  for (const { requests } of [one, two]) expect(requests[0]?.tools.filter(({ name }) => /__(?:resources|prompts)$/.test(name))).toEqual([]);
});

test("[MC27] a local server has the project as its root, and one at an address does not", async () => {
  const { project, dir, results } = await open({
    servers: { everything },
    tools: ["everything"],
    telling: { lead: [calls(["everything__get-roots-list", {}]), say("Done.")] },
  });
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("Done.");
  expect((await results(dialog.id))[0]?.output).toContain(pathToFileURL(realpathSync(dir)).href);

  const heard: string[] = [];
  const far = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => heard.push(text));
    request.on("end", () => response.writeHead(404).end());
  });
  await new Promise<void>((resolve) => far.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void far.close());
  const url = `http://127.0.0.1:${(far.address() as AddressInfo).port}/mcp`;
  const there = await open({ servers: { far: { url } }, tools: ["far"], telling: { lead: [say("Done.")] } });
  expect(await (await there.project.dialogs.create({ content: "Go" })).result()).toBe("Done.");
  expect(heard.join()).toContain("elicitation");
  expect(heard.join()).not.toContain("roots");
});

test("[MC28] progress is live and not stored", async () => {
  const { project } = await open({
    servers: { everything },
    tools: ["everything"],
    telling: { lead: [calls(["everything__trigger-long-running-operation", { duration: 0.1, steps: 3 }]), say("Done.")] },
  });
  const logs: string[] = [];
  onTestFinished(project.onLive((event) => void (event.type === "tool_log_evt" && logs.push(event.text))));
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("Done.");
  expect(logs.join()).toContain("1 of 3");
  expect(JSON.stringify(await project.dialogs.events(dialog.id))).not.toContain("1 of 3");
});
