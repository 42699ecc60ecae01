import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";
import { createServer } from "node:http2";
import type { OpenPeer } from "./peer.ts";
import { ANSWER, found, message, pattern, question, task, WORDS } from "./script.ts";

interface Said {
  readonly role: string;
  readonly content: string;
}

/**
 * Durable handlers whose steps are model calls, and a server beside them that keeps their journals. A question is an awakeable;
 * a dialog is a virtual object whose messages are its state, as the examples for agents have it.
 */
export const openRestate: OpenPeer = async ({ restate: at, resumed }) => {
  const waiting = new Map<string, (awakeable: string) => void>();
  const specialist = restate.service({
    name: "specialist",
    handlers: {
      ask: async (ctx: restate.Context, key: string): Promise<string> => {
        await ctx.run("model", () => ({ tool: "ask_human", question: question(key) }));
        const { id, promise } = ctx.awakeable<string>();
        waiting.get(key)?.(id);
        const answer = await promise;
        if (answer !== ANSWER) throw new restate.TerminalError(`${key}: ${answer}`);
        return ctx.run("model", () => {
          resumed(key);
          return WORDS;
        });
      },
    },
  });
  const lead = restate.workflow({
    name: "lead",
    handlers: {
      run: async (ctx: restate.WorkflowContext, key: string): Promise<string> => {
        await ctx.run("model", () => ({ tool: "specialist", task: task(key) }));
        const response = await ctx.serviceClient<typeof specialist>({ name: "specialist" }).ask(key);
        return ctx.run("model", () => response && WORDS);
      },
    },
  });
  const clerk = restate.object({
    name: "clerk",
    handlers: {
      turn: async (ctx: restate.ObjectContext, nth: number): Promise<string> => {
        const messages = (await ctx.get<Said[]>("messages")) ?? [];
        messages.push({ role: "user", content: message(nth) });
        const call = await ctx.run("model", () => ({ tool: "search_files", pattern: pattern(nth) }));
        messages.push({ role: "assistant", content: JSON.stringify(call) });
        messages.push({ role: "tool", content: await ctx.run("tool", () => found(call.pattern)) });
        const said = await ctx.run("model", () => WORDS);
        messages.push({ role: "assistant", content: said });
        ctx.set("messages", messages);
        return said;
      },
    },
  });
  const server = createServer(restate.createEndpointHandler({ services: [specialist, lead, clerk] }));
  await new Promise<void>((resolve) => server.listen(at.port, "127.0.0.1", resolve));
  const registered = await fetch(`${at.admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${at.port}`, force: false }),
  });
  if (!registered.ok) throw new Error(`Restate: ${registered.status} ${await registered.text()}`);
  const ingress = clients.connect({ url: at.ingress });
  const leadOf = (key: string) => ingress.workflowClient<typeof lead>({ name: "lead" }, key);
  return {
    async ask(key) {
      const asked = new Promise<string>((resolve) => waiting.set(key, resolve));
      await leadOf(key).workflowSubmit(key);
      const awakeable = await asked;
      waiting.delete(key);
      return JSON.stringify([key, awakeable]);
    },
    async answer(ticket) {
      const [key, awakeable] = JSON.parse(ticket) as [string, string];
      await ingress.resolveAwakeable(awakeable, ANSWER);
      if ((await leadOf(key).workflowAttach()) !== WORDS) throw new Error(`${key}: not finished`);
    },
    async turn(dialog, nth) {
      const said = await ingress.objectClient<typeof clerk>({ name: "clerk" }, dialog).turn(nth);
      if (said !== WORDS) throw new Error(`${dialog} ${nth}`);
    },
    close: () => Promise.resolve(),
  };
};
