import { createMcpHandler, ProtocolError } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { colloquyServer } from "./colloquy-server.ts";
import { changed } from "./resources.ts";
import type { McpProject } from "./mcp-project.ts";

export interface ServeOptions {
  readonly version: string;
  readonly report: (error: unknown) => void;
}

/** The client reads what it did wrong in its answer. */
const isClients = (error: Error): boolean =>
  error instanceof ProtocolError || /^(?:Rejected inbound|Unsupported Media Type|Parse error|Bad Request)/.test(error.message);

export interface HttpMcp {
  readonly fetch: (request: Request, caller: string) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** MCP over streamable HTTP. The caller's credential was checked before. */
export function serveHttp(projectFor: (caller: string) => McpProject, { version, report }: ServeOptions): HttpMcp {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.clientId ?? "";
      return colloquyServer(projectFor(caller), { version, caller });
    },
    { onerror: (error) => void (isClients(error) || report(error)) },
  );
  const stop = projectFor("").onChange((rootId, isAboutQuestions) => {
    for (const uri of changed(rootId, isAboutQuestions)) handler.notify.resourceUpdated(uri);
  });
  return {
    fetch: (request, caller) => handler.fetch(request, { authInfo: { clientId: caller, token: "", scopes: [] } }),
    close: async () => {
      stop();
      await handler.close();
    },
  };
}

/** MCP over this process's standard input and output. `closed`: the client has closed the input. */
export function serveStandardIo(project: McpProject, { version, report }: ServeOptions): { readonly closed: Promise<void> } {
  let onClosed = () => {};
  const closed = new Promise<void>((resolve) => (onClosed = resolve));
  const subscribed = new Set<string>();
  serveStdio(
    ({ era }) => {
      const server = colloquyServer(project, { version, caller: "a program" });
      const { server: connection } = server;
      const stop = project.onChange((rootId, isAboutQuestions) => {
        for (const uri of changed(rootId, isAboutQuestions))
          if (era === "modern" || subscribed.has(uri)) connection.sendResourceUpdated({ uri }).catch(report);
      });
      connection.setRequestHandler("resources/subscribe", ({ params }) => {
        subscribed.add(params.uri);
        return {};
      });
      connection.setRequestHandler("resources/unsubscribe", ({ params }) => {
        subscribed.delete(params.uri);
        return {};
      });
      connection.onclose = stop;
      return server;
    },
    { onerror: report },
  );
  process.stdin.once("end", onClosed);
  process.stdin.once("close", onClosed);
  return { closed };
}
