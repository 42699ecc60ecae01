import { SESSION_HEADER } from "@colloquy/schema";
import { keep, kept } from "./kept.ts";

/** Why the link with which the page was opened did not sign it in. */
export type SignInProblem = "used" | "invalid";

const KEY = "session";
/** Where storage is switched off, the session lasts as long as the page. */
let own: string | undefined;
let problem: SignInProblem | undefined;

/** The page's half of the session. The other half is in a cookie that scripts cannot read. */
export const sessionPage = (): string | undefined => own ?? (kept(KEY) || undefined);

export const sessionHeaders = (): Readonly<Record<string, string>> => {
  const page = sessionPage();
  return page === undefined ? {} : { [SESSION_HEADER]: page };
};

export const signInProblem = (): SignInProblem | undefined => problem;

/** Exchanges the token of a link for a session, and takes it out of the address and the history. */
export async function signIn(): Promise<void> {
  const token = takeToken();
  if (token === undefined) return;
  const response = await fetch("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  }).catch(() => undefined); // no server: the connection bar says so
  if (!response) return;
  const answer = (await response.json().catch(() => ({}))) as { readonly page?: string; readonly error?: { readonly code: string } };
  if (answer.page !== undefined) {
    own = answer.page;
    keep(KEY, answer.page);
  } else if (!(await isSignedIn())) problem = answer.error?.code === "link_used" ? "used" : "invalid";
}

/** Opening a used link again in the browser that it signed in keeps the session. */
const isSignedIn = async (): Promise<boolean> =>
  (await fetch("/api/me", { headers: sessionHeaders() }).catch(() => undefined))?.ok ?? false;

function takeToken(): string | undefined {
  const address = new URL(location.href);
  const inFragment = new URLSearchParams(address.hash.slice(1)).get("token");
  const token = inFragment ?? address.searchParams.get("token");
  if (token === null) return undefined;
  if (inFragment !== null) address.hash = "";
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
  return token;
}
