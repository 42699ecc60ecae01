import { mkdtempSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import {
  type Actions,
  ColloquyProvider,
  type ColloquyPlace,
  type DialogState,
  useActions,
  useConnection,
  useDialog,
  useQuestions,
} from "@colloquy/react";
import { askPerson, say } from "@colloquy/testing";
import { toldModel } from "@colloquy/testing/internals";
import { render } from "ink";
import { createElement, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import { expect, onTestFinished, test } from "vitest";
import { defineAgent, openProject } from "../src/index.ts";

const lead = defineAgent({ id: "lead", role: "You paint.", default: true });

async function shop() {
  const model = toldModel({
    lead: ({ messages }) => (messages.length === 1 ? askPerson("Which colour?", { options: ["red", "blue"] }) : say("Painted.")),
  });
  const dir = mkdtempSync(join(tmpdir(), "colloquy-react-"));
  const authenticate = (request: Request) =>
    request.headers.get("authorization") === "Bearer anna" ? { user: "anna", role: "member" as const } : undefined;
  const project = await openProject({
    dir,
    agents: [lead],
    model: model.name,
    findModel: () => model,
    authenticate,
    report: () => undefined,
  });
  onTestFinished(() => project.close());
  return project;
}

async function listen(fetch: (request: Request) => Promise<Response>, port = 0): Promise<Server> {
  const server = createServer(getRequestListener(fetch));
  await new Promise<void>((up) => server.listen(port, "127.0.0.1", up));
  return server;
}

const stopped = (server: Server) =>
  new Promise<void>((down) => {
    server.close(() => down());
    server.closeAllConnections();
  });

interface Seen {
  readonly headlines: readonly string[] | undefined;
  readonly dialog: DialogState;
  readonly actions: Actions;
  readonly connection: { readonly state: string; readonly user: string | undefined };
}

/** A page with a dialog and an inbox; `until` waits for what it should show. */
function page(place: ColloquyPlace, dialogId: string) {
  const waiting = new Set<{ readonly is: (seen: Seen) => boolean; readonly go: (seen: Seen) => void }>();
  let last: Seen | undefined;
  function Page() {
    const { open } = useQuestions();
    const seen = {
      headlines: open?.map(({ headline }) => headline),
      dialog: useDialog(dialogId),
      actions: useActions(),
      connection: useConnection(),
    };
    last = seen;
    for (const one of waiting) if (one.is(seen)) one.go(seen);
    return null;
  }
  const element = createElement(StrictMode, null, createElement(ColloquyProvider, place, createElement(Page)));
  const until = (is: Seen extends infer S ? (seen: S) => boolean : never) =>
    new Promise<Seen>((go) => (last && is(last) ? go(last) : waiting.add({ is, go })));
  return { element, until };
}

function show(element: ReturnType<typeof createElement>): void {
  const screen = new PassThrough() as unknown as NodeJS.WriteStream;
  const { unmount } = render(element, { stdout: screen, stderr: screen, patchConsole: false, exitOnCtrlC: false, interactive: false });
  onTestFinished(() => unmount());
}

test("[CL16][CL21] a page on an API without sockets shows the inbox and a dialog, answers, and continues after the server was away", async () => {
  const project = await shop();
  const server = await listen(project.fetch);
  const { port } = server.address() as AddressInfo;
  const dialog = await project.dialogs.create({ content: "Paint the door" });
  const headers = () => ({ authorization: "Bearer anna" });
  const { element, until } = page({ api: `http://127.0.0.1:${port}/api`, headers }, dialog.id);
  show(element);
  const asked = await until(({ headlines, dialog: { view } }) => headlines?.length === 1 && view?.state === "asking");
  expect(asked.headlines).toEqual(["Which colour?"]);
  await until(({ connection }) => connection.state === "live" && connection.user === "anna");

  await stopped(server);
  await until(({ connection }) => connection.state === "lost");
  const [question] = await project.questions.list();
  const answering = asked.actions.questions.answer(question?.id ?? "", { choice: "blue" });
  const again = await listen(project.fetch, port);
  onTestFinished(() => stopped(again));
  await answering;
  const ended = await until(({ headlines, dialog: { view, events } }) => {
    const said = JSON.stringify(events).includes("Painted.");
    return headlines?.length === 0 && view?.state === "idle" && said;
  });
  const seqs = ended.dialog.events.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, nth) => nth + 1));
  expect(ended.dialog.messages.map(({ from, by, text }) => `${from} ${by}: ${text}`)).toEqual([
    "person owner: Paint the door",
    "agent lead: Which colour?",
    "person anna: blue",
    "agent lead: Painted.",
  ]);
  expect(await project.questions.get(question?.id as never)).toMatchObject({ answer: { by: "anna", choice: ["blue"] } });
});

test("[CL17] rendered on a server, it sends no request and shows the loading state", async () => {
  const { element } = page({ url: "http://127.0.0.1:1" }, "f".repeat(32));
  expect(renderToString(element)).toBe("");
  expect(renderToString(page({ api: "/api" }, "f".repeat(32)).element)).toBe("");
});
