import { createHash } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { OAuthClientInformationMixed, OAuthDiscoveryState, OAuthTokens } from "@modelcontextprotocol/client";
import type { Environment } from "./filled-in.ts";

/** What a person's sign-in at a server has left: it opens the server as that person. */
export interface SignIn {
  readonly client?: OAuthClientInformationMixed | undefined;
  readonly tokens?: OAuthTokens | undefined;
  readonly discovery?: OAuthDiscoveryState | undefined;
}

interface Place {
  /** The project's folder. */
  readonly dir: string;
  readonly name: string;
  readonly url: string;
}

/** The file of a sign-in, private in the person's own configuration: for this project, server and address only. */
export class SignInFile {
  readonly #path: string;

  /** `env`: of this process, never with the folder's own variables, which could lead the file elsewhere. */
  constructor(env: Environment, { dir, name, url }: Place) {
    const named = env["XDG_CONFIG_HOME"];
    const base = named !== undefined && isAbsolute(named) ? named : join(env["HOME"] || homedir(), ".config");
    const key = createHash("sha256")
      .update(`${realpathSync(dir)}\n${name}\n${url}`)
      .digest("hex")
      .slice(0, 32);
    this.#path = join(base, "colloquy", "mcp", `${key}.json`);
  }

  /** Undefined if nobody has signed in. */
  read(): SignIn | undefined {
    try {
      return JSON.parse(readFileSync(this.#path, "utf8")) as SignIn;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  write(signIn: SignIn): void {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}.tmp`;
    rmSync(draft, { force: true });
    writeFileSync(draft, JSON.stringify(signIn), { mode: 0o600, flag: "wx" });
    const open = openSync(draft, "r");
    fsyncSync(open);
    closeSync(open);
    renameSync(draft, this.#path);
  }

  /** False if nobody had signed in. */
  remove(): boolean {
    const had = this.read()?.tokens !== undefined;
    rmSync(this.#path, { force: true });
    return had;
  }
}
