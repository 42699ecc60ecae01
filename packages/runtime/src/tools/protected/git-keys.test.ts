import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, repository } from "../../layers/testing.ts";
import { tryToUse } from "../testing.ts";
import { withoutKeys } from "./git-keys.ts";

const SETTINGS = String.raw`[remote "origin"]
	url = https://me:k1-secret@example.org/a.git
	pushurl = "https://k2-secret@example.org/a.git"
[url "https://oauth2:k3-secret@example.org/"] insteadOf = https://example.org/
[http "https://example.org/"]
	extraheader = AUTHORIZATION: basic \
		k4-secret
	proxy = http://me:k5-secret@proxy:8080
[http] extraHeader = k6-secret
[credential]
	helper = "!f() { echo password=k7-secret; }; f"
	helper = cache
[sendemail]
	smtpPass = k8-secret
[github]
	token=k9-secret
[branch "main"]
	remote = origin
`;

const writeSettings = (file: string) => writeFileSync(file, readFileSync(file, "utf8") + SETTINGS);

test.each([
  ["[a]\n\turl = ssh://git@example.org/a.git\n", "[a]\n\turl = ssh://git@example.org/a.git\n"],
  ["[a]\n\turl = ssh://git:key@example.org/a\n", "[a]\n\turl = ssh://git@example.org/a\n"],
  ["[a]\n\turl = git@example.org:a.git\n", "[a]\n\turl = git@example.org:a.git\n"],
  ["[a]\n\turl = https://key@example.org/a@b\n", "[a]\n\turl = https://example.org/a@b\n"],
  ["[user]\n\temail = a@example.org\n\tname = A\n", "[user]\n\temail = a@example.org\n\tname = A\n"],
  ["[a]\r\n\ttoken = key\r\n\tb = c\r\n", "[a]\r\n\t# token is hidden from tools\n\tb = c\r\n"],
  ["[a]\n\tPassword = key", "[a]\n\t# Password is hidden from tools"],
])("[B27] of %j the keys are left out", (settings, shown) => {
  expect(withoutKeys(settings)).toBe(shown);
});

test("[B27] settings of any length and shape are shown without delay", () => {
  for (const piece of ["\\\n", "a=", "https://", "[", " ", "ssh://a:", "token=\\\n", "\n"]) {
    const from = process.cpuUsage();
    withoutKeys(piece.repeat(200_000 / piece.length));
    expect([piece, process.cpuUsage(from).user < 3_000_000]).toEqual([piece, true]);
  }
});

test("[B27] file tools show git's settings without keys", async () => {
  const dir = repository({ "a.txt": "a" });
  git(dir, "init", "--quiet", "--bare", "bare");
  git(dir, "init", "--quiet", "below");
  for (const path of [".git/config", "bare/config", "below/.git/config"]) {
    writeSettings(join(dir, path));
    const { text } = await tryToUse(dir, "read_file", { path });
    expect([path, text]).toEqual([path, expect.stringContaining("url = https://example.org/a.git")]);
    expect(text).not.toContain("secret");
    const found = await tryToUse(dir, "search_files", { pattern: "k\\d-", path });
    expect([path, found.text]).toEqual([path, expect.not.stringContaining("secret")]);
  }
  mkdirSync(join(dir, "src"));
  writeFileSync(join(dir, "src/config"), "token = shown\n");
  expect((await tryToUse(dir, "read_file", { path: "src/config" })).text).toContain("token = shown");
});

test("[H33] commands see git's settings without keys, and git works with them", async () => {
  const dir = repository({ "a.txt": "a" });
  git(dir, "init", "--quiet", "below");
  mkdirSync(join(dir, ".git/modules/sub"), { recursive: true });
  writeFileSync(join(dir, ".git/modules/sub/config"), "");
  for (const path of [".git/config", "below/.git/config", ".git/modules/sub/config"]) writeSettings(join(dir, path));
  const run = async (command: string) => (await tryToUse(dir, "run_command", { command })).text;
  expect(await run("git remote get-url origin; git config --get-all credential.helper")).toMatch(
    /^Exit code 0\.\nhttps:\/\/example\.org\/a\.git\ncache$/,
  );
  expect(await run("cat .git/config below/.git/config .git/modules/sub/config; git config --list; git -C below remote -v")).not.toContain(
    "secret",
  );
  expect(await run("echo b > b.txt; git add b.txt; git commit -qm b; git status --short")).toContain("Exit code 0.");
  expect(git(dir, "show", "HEAD:b.txt")).toBe("b\n");
  expect(await run("git config a.b c")).toMatch(/Exit code [1-9]/);
  expect(readFileSync(join(dir, ".git/config"), "utf8")).toContain("k1-secret");
});
