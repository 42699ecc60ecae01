import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeServers, signInToServer, signOutOfServer } from "@colloquy/library";
import { calls, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { oauthServer } from "./oauth-server.ts";
import { folder, open, writeSettings } from "./support.ts";

const never = new AbortController().signal;
const LOOK = { lead: [calls(["far__look", {}]), say("Done.")] };

/** A person's home, with a project that names the server. */
function place(url: string) {
  const home = folder();
  const dir = folder();
  const env = { HOME: home, PATH: process.env["PATH"] ?? "" };
  writeSettings(dir, { far: { url } }, ["far"]);
  const kept = () => {
    const at = join(home, ".config/colloquy/mcp");
    return readdirSync(at).map((name) => join(at, name));
  };
  /** The person follows the page at once. */
  const login = () => signInToServer(dir, "far", { env, visit: (page) => void fetch(page), signal: never });
  return { home, dir, env, kept, login };
}

test("[MC29] [MC30] a person signs in once, and agents use the server, also from another process", async () => {
  const server = await oauthServer();
  const { dir, env, kept, login } = place(server.url);
  const [before] = await describeServers(dir, env);
  expect(before?.why).toContain("Or sign in: colloquy mcp login far");
  expect(await login()).toBe(server.url);
  const [file = ""] = kept();
  expect(kept()).toHaveLength(1);
  expect(statSync(file).mode & 0o077).toBe(0);
  const { project, results } = await open({ servers: { far: { url: server.url } }, tools: ["far"], telling: LOOK, dir, env });
  const dialog = await project.dialogs.create({ content: "Go" });
  expect(await dialog.result()).toBe("Done.");
  expect((await results(dialog.id)).map(({ output }) => output)).toEqual(["Seen."]);
  expect(JSON.stringify(await project.dialogs.events(dialog.id))).not.toContain([...server.valid][0]);

  const other = place(server.url);
  expect((await describeServers(other.dir, { ...other.env, HOME: env.HOME }))[0]?.why).toContain("colloquy mcp login far");
  expect(await signOutOfServer(dir, "far", env)).toBe(true);
  expect(await signOutOfServer(dir, "far", env)).toBe(false);
  expect((await describeServers(dir, env))[0]?.why).toContain("colloquy mcp login far");
});

test("[MC30] [MC31] an expired token is renewed and kept, and a sign-in that has ended names the command", async () => {
  const server = await oauthServer();
  const { dir, env, kept, login } = place(server.url);
  await login();
  server.valid.clear();
  expect((await describeServers(dir, env))[0]).toMatchObject({ state: "up", tools: ["far__look"] });
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  const [file = ""] = kept();
  const { tokens } = JSON.parse(readFileSync(file, "utf8")) as { tokens: { access_token: string } };
  expect([...server.valid]).toEqual([tokens.access_token]);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"refresh_token":"[^"]*"/, '"refresh_token":"gone"'));
  server.valid.clear();
  expect((await describeServers(dir, env))[0]?.why).toBe("Its sign-in has ended. Sign in again: colloquy mcp login far");
});

test("[MC29] [MC31] a declined sign-in, and another page's visit, keep nothing", async () => {
  const server = await oauthServer({ refuses: true });
  const { home, dir, env, login } = place(server.url);
  await expect(login()).rejects.toThrow("The sign-in was refused: access_denied.");
  const stopping = new AbortController();
  const foreign: number[] = [];
  const visit = (page: string) => {
    const back = new URL(new URL(page).searchParams.get("redirect_uri") ?? "");
    back.search = "?code=theirs&state=guessed";
    void fetch(back).then(({ status }) => {
      foreign.push(status);
      stopping.abort();
    });
  };
  await expect(signInToServer(dir, "far", { env, visit, signal: stopping.signal })).rejects.toThrow("Stopped before");
  expect(foreign).toEqual([404]);
  expect(readdirSync(home)).toEqual([]);
});

test("[MC30] the folder's own variables do not say where a sign-in is kept", async () => {
  const server = await oauthServer();
  const { dir, kept, login } = place(server.url);
  mkdirSync(join(dir, "theirs"));
  writeFileSync(join(dir, ".env"), `XDG_CONFIG_HOME=${join(dir, "theirs")}\nHOME=${join(dir, "theirs")}\n`);
  await login();
  expect(kept()).toHaveLength(1);
  expect(readdirSync(join(dir, "theirs"))).toEqual([]);
});
