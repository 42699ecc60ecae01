import { type Route, requests, SIGN_IN_ROUTES, type SignInRouteName } from "@colloquy/schema";
import type { Access, Credentials } from "./access.ts";
import { OWNER } from "./caller.ts";
import { Problem, read } from "../http/problem.ts";

/** A request to sign in or out, or about tokens. */
export interface SignInRequest {
  readonly credentials: Credentials;
  readonly address: string;
  readonly body: unknown;
  readonly isSecure: boolean;
}

export interface SignInAnswer {
  readonly answer: object;
  /** The whole `Set-Cookie` header. */
  readonly cookie?: string;
}

export interface SignInWorld {
  readonly access: Access;
  readonly cookieName: () => string;
  /** Makes a new token of the server's own and keeps it. Absent: it cannot be replaced here. */
  readonly rotateToken?: (() => string) | undefined;
}

const MAX_AGE_SECONDS = 400 * 24 * 3_600; // the longest that browsers keep a cookie

type Answerer = (request: SignInRequest) => Promise<SignInAnswer>;

/** What answers each of the routes by which browsers are signed in. */
function signInAnswerers({ access, cookieName, rotateToken }: SignInWorld): Readonly<Record<SignInRouteName, Answerer>> {
  const demandOwner = async ({ credentials, address }: SignInRequest): Promise<void> => {
    const caller = await access.callerOf(credentials, address);
    if (caller === OWNER) return;
    if (!caller) throw new Problem("unauthorized", "A token is needed: Authorization: Bearer TOKEN.");
    throw new Problem("forbidden", "Only the server's owner may do this.");
  };
  const cookie = (value: string, seconds: number, isSecure: boolean): string =>
    `${cookieName()}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? "; Secure" : ""}`;
  return {
    async signIn({ body, address, isSecure }) {
      const { token } = read(requests.SignIn, body, "Body");
      const { user, page, cookie: value } = await access.signIn(token, address);
      return { answer: { user, page }, cookie: cookie(value, MAX_AGE_SECONDS, isSecure) };
    },
    async signOut({ credentials, isSecure }) {
      access.signOut(credentials);
      return { answer: {}, cookie: cookie("", 0, isSecure) };
    },
    async sessions(request) {
      await demandOwner(request);
      return { answer: { sessions: await access.signedIn() } };
    },
    async newLink(request) {
      await demandOwner(request);
      return { answer: { token: access.newLink() } };
    },
    async rotateToken(request) {
      await demandOwner(request);
      if (!rotateToken) throw new Problem("bad_request", "The token of this server is given by its program, and replaced there.");
      const token = rotateToken();
      access.rotate(token);
      return { answer: { token } };
    },
  };
}

/** The routes with what answers them, for the server to register. */
export const signInRoutes = (world: SignInWorld): readonly { readonly route: Route; readonly answer: Answerer }[] => {
  const answerers = signInAnswerers(world);
  return SIGN_IN_ROUTES.map((route) => ({ route, answer: answerers[route.name] }));
};
