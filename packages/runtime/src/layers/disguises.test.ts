// Commands that hide their effects. Each runs for real, on a layer over one project, and is judged by its effects.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verdictOnEffects } from "@colloquy/core";
import type { ActClass } from "@colloquy/schema";
import { expect, test } from "vitest";
import { layers } from "./layers.ts";
import { contentOf, git, repository, staged } from "./testing.ts";

/** The effect to hide: a script for sh without single quotes, and the class that must be detected. */
const DEEDS: readonly (readonly [script: string, expected: ActClass])[] = [
  ["rm -rf src", "destructive"],
  ["rm work.txt", "destructive"],
  [": > work.txt", "destructive"],
  ["cp /dev/null work.txt", "destructive"],
  ["truncate -s 0 work.txt", "destructive"],
  ["git checkout -q -- edited.txt", "destructive"],
  ["git reset -q --hard", "destructive"],
  ["git clean -qfdx", "destructive"],
  ["git branch -qD feature", "destructive"],
  ["find src -type f -delete", "destructive"],
  ["mv work.txt /tmp/gone", "destructive"],
  ["perl -e unlink+glob+q[src/*]", "destructive"],
  ["echo x >> package.json", "dependencyModifications"],
  ["cp edited.txt web/package-lock.json", "dependencyModifications"],
  ["echo x > docs/adr/2.md", "architectureDecisions"],
];

const RULES = {
  architecture: ["docs/adr/**"],
  permissions: {},
  autonomy: {
    scopeChanges: "requires_approval",
    architectureDecisions: "requires_approval",
    dependencyModifications: "requires_approval",
  },
} as const;

const base64 = (script: string) => Buffer.from(script).toString("base64");
const octal = (script: string) => [...Buffer.from(script)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
const hex = (script: string) => [...Buffer.from(script)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
const reversed = (script: string) => [...script].toReversed().join("");
const quoted = (script: string) => `'${script}'`;

/** The ways to hide it. */
const DISGUISES: Readonly<Record<string, (script: string) => string>> = {
  plainly: (script) => script,
  "in a shell in a shell": (script) => `sh -c "sh -c ${quoted(script).replaceAll('"', '\\"')}"`,
  "in base64": (script) => `echo ${base64(script)} | base64 -d | sh`,
  "in octal numbers": (script) => `printf '${octal(script)}' | sh`,
  "in hexadecimal numbers": (script) => `eval $'${hex(script)}'`,
  backwards: (script) => `echo ${quoted(reversed(script))} | rev | sh`,
  "in pieces": (script) => `a=${quoted(script.slice(0, 2))}; b=${quoted(script.slice(2))}; eval "$a$b"`,
  "in a file": (script) => `echo ${quoted(script)} > /tmp/x; chmod +x /tmp/x; sh /tmp/x`,
  "in a file of the project that is gone after": (script) => `echo ${quoted(script)} > .x; . ./.x; command rm -f .x`,
  "in a here-document": (script) => `sh <<'END'\n${script}\nEND`,
  "in a function with an innocent name": (script) => `ls() { ${script}; }; ls`,
  "at the end of the shell": (script) => `trap ${quoted(script)} EXIT; true`,
  "in the background": (script) => `(sleep 0.02; ${script}) & wait`,
  "in a session of its own": (script) => `setsid -w sh -c ${quoted(script)}`,
  "through the environment": (script) => `X=${quoted(script)} env -i PATH="$PATH" X=${quoted(script)} sh -c 'eval "$X"'`,
  "through xargs": (script) => `echo ${quoted(script)} | xargs -d '\\n' -I CMD sh -c CMD`,
  "through find": (script) => `find . -maxdepth 0 -exec sh -c ${quoted(script)} \\;`,
  "through an alias of git": (script) => `git -c alias.status2=${quoted(`!${script}`)} status2`,
  "through node": (script) =>
    `node -e 'require("child_process").execSync(Buffer.from("${base64(script)}", "base64") + "", { shell: "/bin/sh" })'`,
  "through perl": (script) => `perl -e 'exec "sh", "-c", pack("H*", "${Buffer.from(script).toString("hex")}")'`,
  "through awk": (script) => `awk 'BEGIN { system("echo ${base64(script)} | base64 -d | sh") }'`,
  "through sed": (script) => `echo | sed "1e echo ${base64(script)} | base64 -d | sh"`,
  "through tar": (script) =>
    `echo ${quoted(script)} > /tmp/s; echo x > /tmp/f; tar cf /dev/null -C /tmp f --checkpoint=1 --checkpoint-action=exec="cd $PWD; sh /tmp/s"`,
  "by another name of the shell": (script) => `cp /bin/sh /tmp/cat; /tmp/cat -c ${quoted(script)}`,
  "after a change of the folder": (script) => `cd /tmp && cd - >/dev/null && ${script}`,
};

/** A project with committed, edited and new work, and with decisions and dependencies. */
function victim(): string {
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, nth) => [`src/${nth}.ts`, `export const n = ${nth};\n`]));
  const dir = repository({
    ...files,
    "edited.txt": "committed\n",
    "package.json": "{}\n",
    "web/package-lock.json": "{}\n",
    "docs/adr/1.md": "#\n",
  });
  git(dir, "branch", "feature");
  writeFileSync(join(dir, "edited.txt"), "a day's work\n");
  writeFileSync(join(dir, "work.txt"), "never committed\n");
  mkdirSync(join(dir, "notes"));
  writeFileSync(join(dir, "notes/idea.md"), "an idea\n");
  return dir;
}

test("[AU18][LY4] a command that hides its effects is judged by them, and nothing is applied", async () => {
  const dir = victim();
  const before = contentOf(dir);
  const missed: string[] = [];
  const attempts = Object.entries(DISGUISES).flatMap(([how, disguise]) =>
    DEEDS.map(([script, expected]) => ({ name: `${how}: ${script}`, command: disguise(script), expected })),
  );
  const attempt = async ({ name, command, expected }: (typeof attempts)[number]) => {
    const { callId, effects } = await staged(dir, command).catch((cause: unknown) => {
      throw new Error(name, { cause });
    });
    const classes = verdictOnEffects(effects, RULES).findings.map((finding) => finding.class);
    if (!classes.includes(expected)) missed.push(`${name}: ${JSON.stringify(effects)}`);
    await layers.discard(callId, dir);
  };
  const left = attempts.values();
  const worker = async () => {
    for (const one of left) await attempt(one);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  expect(missed).toEqual([]);
  expect(attempts.length).toBeGreaterThanOrEqual(300);
  expect(contentOf(dir)).toEqual(before);
}, 900_000);

test("[AU18] a manifest, a decision or a protected path is found in a new folder, in a moved one, and among hundreds of other files", async () => {
  const dir = repository({ "package.json": "{}\n", "lib/go.mod": "module x\n", "a.txt": "a\n", "closed/a": "a\n" });
  const permissions = { "write_file(secret/deep/**)": "deny", "edit_file(closed/**)": "deny" } as const;
  const classesOf = async (command: string) => {
    const { callId, effects, touched } = await staged(dir, command);
    await layers.discard(callId, dir);
    const { findings, verdict } = verdictOnEffects(effects, { ...RULES, permissions }, touched?.changed, touched?.retimed);
    return [...findings.map((finding) => finding.class), verdict];
  };
  const many = "mkdir many; for i in $(seq 300); do echo $i > many/$i; done";
  expect(await classesOf("mkdir -p new/deep; cp package.json new/deep/")).toEqual(["dependencyModifications", "ask"]);
  expect(await classesOf("mv lib other")).toEqual(["dependencyModifications", "ask"]);
  expect(await classesOf(`${many}; cp package.json many/`)).toEqual(["dependencyModifications", "ask"]);
  expect(await classesOf("mkdir -p docs/adr; echo x > docs/adr/1.md")).toEqual(["architectureDecisions", "ask"]);
  expect(await classesOf(`${many}; mkdir -p secret/deep; echo x > secret/deep/y`)).toEqual(["deny"]);
  expect(await classesOf("touch -d 2020-01-01 closed/a")).toEqual(["deny"]);
  expect(await classesOf("touch -d 2020-01-01 package.json")).toEqual(["allow"]);
  expect(await classesOf(many)).toEqual(["allow"]);
});
