// An MCP server that wants a sign-in, and the authorization server that gives it, at one address.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

export interface OAuthServer {
  /** The MCP server's address. */
  readonly url: string;
  /** Tokens that it accepts. */
  readonly valid: Set<string>;
  /** What kinds of grants were asked for. */
  readonly grants: string[];
}

const bodyOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString();

/** `refuses`: the person declines. */
export async function oauthServer({ refuses = false } = {}): Promise<OAuthServer> {
  const valid = new Set<string>();
  const refresh = new Set<string>();
  const grants: string[] = [];
  const codes = new Map<string, string>();
  const mcp = createMcpHandler(() => {
    const server = new McpServer({ name: "far", version: "1" }, { capabilities: { tools: {} } });
    server.registerTool("look", { annotations: { readOnlyHint: true } }, () => ({ content: [{ type: "text", text: "Seen." }] }));
    return server;
  });
  let base = "";
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", base);
    const json = (value: object, status = 200) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${base}/mcp`, authorization_servers: [base] });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return json({
        issuer: base,
        authorization_endpoint: `${base}/authorize`,
        token_endpoint: `${base}/token`,
        registration_endpoint: `${base}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register")
      return json({ ...(JSON.parse(await bodyOf(request)) as object), client_id: "colloquy-1", client_id_issued_at: 1 }, 201);
    if (pathname === "/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? base);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      if (refuses) back.searchParams.set("error", "access_denied");
      else {
        const code = randomUUID();
        codes.set(code, searchParams.get("code_challenge") ?? "");
        back.searchParams.set("code", code);
      }
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === "/token") {
      const form = new URLSearchParams(await bodyOf(request));
      const grant = form.get("grant_type") ?? "";
      grants.push(grant);
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      const isGood =
        grant === "refresh_token" ? refresh.has(form.get("refresh_token") ?? "") : codes.get(form.get("code") ?? "") === challenge;
      if (!isGood) return json({ error: "invalid_grant" }, 400);
      const [access, again] = [randomUUID(), randomUUID()];
      valid.add(access);
      refresh.add(again);
      return json({ access_token: access, refresh_token: again, token_type: "Bearer", expires_in: 3600 });
    }
    if (!valid.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      const challenge = `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      return response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    const { method = "GET" } = request;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const body = method === "POST" ? { body: await bodyOf(request) } : {};
    const answer = await mcp.fetch(new Request(`${base}${request.url}`, { method, headers, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body) Readable.fromWeb(answer.body as never).pipe(response);
    else response.end();
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    await mcp.close();
    server.close();
    server.closeAllConnections();
  });
  return { url: `${base}/mcp`, valid, grants };
}
