// node server.ts          serves http://127.0.0.1:3000; the API is at /colloquy/api
// node server.ts --try    also plays a visitor: a dialog, its question, an answer
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { defineAgent, openProject } from "colloquy";
import { Hono } from "hono";

const lead = defineAgent({ id: "lead", role: "You paint what you are given, and ask for the colour.", default: true });
/** Yours: a session, a cookie, a key from your own table. */
const people: Readonly<Record<string, { user: string; role: "owner" | "member" | "viewer" }>> = {
  "Bearer anna-knows-this": { user: "anna", role: "member" },
};

const project = await openProject({
  dir: ".",
  model: process.env["MODEL"] ?? "scripted/paint",
  agents: [lead],
  authenticate: (request) => people[request.headers.get("authorization") ?? ""],
});
const app = new Hono().get("/", (page) => page.text("Your own pages are here; Colloquy is under /colloquy."));
app.mount("/colloquy", project.fetch);

const isTrial = process.argv.includes("--try");
const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: isTrial ? 0 : 3000 });
await new Promise<void>((up) => server.once("listening", up));
if (isTrial) await visit(`http://127.0.0.1:${(server.address() as AddressInfo).port}/colloquy/api`);
else await new Promise((stop) => process.once("SIGINT", stop));
server.close();
await project.close();

async function visit(api: string): Promise<void> {
  const ask = async (path: string, body?: object) => {
    const headers = { authorization: "Bearer anna-knows-this", "content-type": "application/json" };
    const response = await fetch(api + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
    return (await response.json()) as never;
  };
  const [{ id }]: [{ id: string }] = await ask("/projects");
  const { rootId }: { rootId: never } = await ask(`/projects/${id}/dialogs`, { content: "Paint the door", msgId: crypto.randomUUID() });
  await project.dialogs.quiet(rootId);
  const { questions }: { questions: { id: string; headline: string; agentId: string }[] } = await ask(
    `/projects/${id}/questions?status=open`,
  );
  for (const question of questions) {
    console.log(`${question.agentId} asks: ${question.headline}`);
    await ask(`/projects/${id}/questions/${question.id}/answer`, { choice: "blue", msgId: crypto.randomUUID() });
  }
  console.log(`anna answered, and lead says: ${await project.dialogs.result(rootId)}`);
}
