import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { OAuthClientMetadata, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { SignIn, SignInFile } from "./sign-in-file.ts";

const CLIENT: Omit<OAuthClientMetadata, "redirect_uris"> = {
  client_name: "Colloquy",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
/** Only to have one: a connection never sends anybody anywhere. */
const NOWHERE = "http://127.0.0.1/callback";

/** Thrown when only a person can sign in again. */
class SignInEnded extends Error {
  override readonly name = "SignInEnded";
}

/** A sign-in as a connection uses it: it renews its tokens, and keeps the new ones before they are used. */
export function keptSignIn(file: SignInFile): OAuthClientProvider {
  const now = (): SignIn => file.read() ?? {};
  return {
    redirectUrl: NOWHERE,
    clientMetadata: { ...CLIENT, redirect_uris: [NOWHERE] },
    clientInformation: () => now().client,
    tokens: () => now().tokens,
    saveTokens: (tokens) => file.write({ ...now(), tokens: { ...now().tokens, ...tokens } }),
    discoveryState: () => now().discovery,
    saveDiscoveryState: (discovery) => file.write({ ...now(), discovery }),
    invalidateCredentials(scope) {
      if (scope === "all" || scope === "client") file.write({});
      else if (scope === "tokens") file.write({ ...now(), tokens: undefined });
      else if (scope === "discovery") file.write({ ...now(), discovery: undefined });
    },
    redirectToAuthorization() {
      throw new SignInEnded("The sign-in has ended.");
    },
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "",
  };
}

interface SigningIn {
  /** The server's address. */
  readonly url: string;
  readonly file: SignInFile;
  /** Shows the person the page to visit. */
  readonly visit: (url: string) => void;
  readonly signal: AbortSignal;
}

/** A person signs in at a server, in their browser. Nothing is kept unless all of it succeeds. */
export async function signIn({ url, file, visit, signal }: SigningIn): Promise<void> {
  const { auth } = await import("@modelcontextprotocol/client");
  const state = randomBytes(24).toString("base64url");
  const back = Promise.withResolvers<{ readonly code: string; readonly iss?: string }>();
  back.promise.catch(() => undefined); // told below
  const server = await callbackServer(state, back);
  const stop = () => back.reject(new Error("Stopped before the sign-in was complete."));
  signal.addEventListener("abort", stop, { once: true });
  const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  let made: SignIn = {};
  let verifier = "";
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { ...CLIENT, redirect_uris: [redirect] },
    state: () => state,
    clientInformation: () => made.client,
    saveClientInformation: (client) => void (made = { ...made, client }),
    tokens: () => made.tokens,
    saveTokens: (tokens) => void (made = { ...made, tokens }),
    discoveryState: () => made.discovery,
    saveDiscoveryState: (discovery) => void (made = { ...made, discovery }),
    redirectToAuthorization: (to) => visit(to.href),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
  };
  try {
    if ((await auth(provider, { serverUrl: url })) === "REDIRECT") {
      const { code, iss } = await back.promise;
      await auth(provider, { serverUrl: url, authorizationCode: code, ...(iss !== undefined && { iss }) });
    }
    file.write(made);
  } finally {
    signal.removeEventListener("abort", stop);
    server.close();
    server.closeAllConnections();
  }
}

/** Where the browser comes back to. Another page's visit, without our state, changes nothing. */
async function callbackServer(
  state: string,
  back: PromiseWithResolvers<{ readonly code: string; readonly iss?: string }>,
): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isOurs = request.method === "GET" && pathname === "/callback" && searchParams.get("state") === state;
    const code = searchParams.get("code");
    const iss = searchParams.get("iss");
    response.setHeader("content-type", "text/plain; charset=utf-8");
    if (!isOurs) return void response.writeHead(404).end("Not found.\n");
    response.end(code === null ? "The sign-in was refused. You can close this page.\n" : "You are signed in. You can close this page.\n");
    if (code === null) back.reject(new Error(`The sign-in was refused: ${(searchParams.get("error") ?? "no reason").slice(0, 200)}.`));
    else back.resolve({ code, ...(iss !== null && { iss }) });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
