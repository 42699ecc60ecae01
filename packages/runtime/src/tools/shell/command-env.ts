import { delimiter } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The only variables of our environment that a command gets. Any other may be a secret, whatever its name. */
const KEPT = /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|USER|LOGNAME|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL))$/;
const PROXY = /^(?:https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/;

export function commandEnv(given: Environment, hasNetwork: boolean): Readonly<Record<string, string>> {
  const kept = Object.entries(given).filter(
    (entry): entry is [string, string] =>
      // A proxy's URL can contain a password.
      entry[1] !== undefined && (KEPT.test(entry[0]) || (hasNetwork && PROXY.test(entry[0]) && !entry[1].includes("@"))),
  );
  return { ...Object.fromEntries(kept), PATH: pathOf(given), TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
}

/** A relative entry would mean another folder after each cd. */
function pathOf(given: Environment): string {
  const entries = (given["PATH"] ?? "").split(delimiter).filter((entry) => entry.startsWith("/"));
  return (entries.length > 0 ? entries : ["/usr/local/bin", "/usr/bin", "/bin"]).join(delimiter);
}
