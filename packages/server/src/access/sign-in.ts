import { type Route, requests, SIGN_IN_ROUTES, type SignInRouteName, Refused } from "@colloquy/schema";
import type { Access, Credentials } from "./access.ts";
import { read } from "../http/problem.ts";

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
  /** Makes and stores a new server token. If absent, the token cannot be replaced here. */
  readonly rotateToken?: (() => string) | undefined;
}

const MAX_AGE_SECONDS = 400 * 24 * 3_600; // the longest that browsers keep a cookie

type Answerer = (request: SignInRequest) => Promise<SignInAnswer>;

/** The handlers of the sign-in routes. */
function signInAnswerers({ access, cookieName, rotateToken }: SignInWorld): Readonly<Record<SignInRouteName, Answerer>> {
  const demandOwner = async ({ credentials, address }: SignInRequest): Promise<void> => {
    const caller = await access.callerOf(credentials, address);
    if (caller?.isServerOwner) return;
    if (!caller) throw new Refused({ code: "unauthorized", message: "A token is needed: Authorization: Bearer TOKEN." });
    throw new Refused({ code: "forbidden", message: "Only the server's owner may do this." });
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
      if (!rotateToken)
        throw new Refused({ code: "bad_request", message: "The program that runs this server sets its token; replace it there." });
      const token = rotateToken();
      access.rotate(token);
      return { answer: { token } };
    },
  };
}

/** The sign-in routes and their handlers, for the server to register. */
export const signInRoutes = (world: SignInWorld): readonly { readonly route: Route; readonly answer: Answerer }[] => {
  const answerers = signInAnswerers(world);
  return SIGN_IN_ROUTES.map((route) => ({ route, answer: answerers[route.name] }));
};
