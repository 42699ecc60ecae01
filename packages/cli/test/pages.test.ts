import { Config, builtinInputs, Script } from "@colloquy/schema";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { type Page, pages } from "../../testing/src/documentation.ts";
import { checkWords, findCommand, parse } from "../src/line/command-line.ts";
import { commandNamed } from "../src/line/find-command.ts";

/** The commands on a page. If the output is shown too, a `$` precedes what is typed. */
function typedOn({ blocks }: Page): readonly string[] {
  return blocks
    .filter(({ language }) => language === "")
    .flatMap(({ text }) => (/^\$ /m.test(text) ? [...text.matchAll(/^\$ (.*)$/gm)].map(([, line = ""]) => line) : text.split("\n")))
    .flatMap((line) => /(?:^|[|(] ?|npx )colloquy(?: (.*))?$/.exec(line)?.[1] ?? []);
}

const namedOn = ({ text }: Page): readonly string[] => [...text.matchAll(/`(?:npx )?colloquy ([^`\n]+)`/g)].map(([, words = ""]) => words);

/** As a shell splits them: up to a comment, a pipe, the end of a substitution, or the gap before a remark. */
function wordsOf(line: string): readonly string[] {
  const [command = ""] = /^(?:"[^"]*"|'[^']*'|(?! {2}| [#<|&] ?|\)).)*/.exec(line) ?? [];
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}

async function problemWith(line: string, isWhole: boolean): Promise<unknown> {
  try {
    const { name = "status", rest } = findCommand(wordsOf(line));
    const command = await commandNamed(name);
    const { words } = parse(name, command.options, rest);
    if (isWhole || words.length > 0) checkWords(name, command, words);
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each(pages())("[K125] the commands on $name are those of the command line", async (page) => {
  for (const line of typedOn(page)) expect(await problemWith(line, true), `colloquy ${line}`).toBeUndefined();
  // A sentence may name a command without all of its arguments.
  for (const line of namedOn(page)) expect(await problemWith(line, false), `colloquy ${line}`).toBeUndefined();
});

test("[K125] commands are found, and so is a wrong one", async () => {
  expect(pages().flatMap(typedOn).length).toBeGreaterThan(40);
  expect(pages().flatMap(namedOn).length).toBeGreaterThan(40);
  expect(String(await problemWith('answr @ "yes"', true))).toContain('There is no command "answr"');
  expect(String(await problemWith("new --wiat hi", true))).toContain("new has no option --wiat");
  expect(wordsOf('send @ --mention - "For the record: it is (Friday)"   # nobody is driven')).toEqual([
    "send",
    "@",
    "--mention",
    "-",
    "For the record: it is (Friday)",
  ]);
});

test.each(pages())("[K125] the settings, scripts and questions on $name are valid", ({ name, blocks }) => {
  for (const { language, text, line } of blocks) {
    if (language !== "yaml") continue;
    const written = parseYaml(text) as object;
    const schema =
      "rules" in written ? Script : "tellaskContent" in written || "deadline" in written ? builtinInputs.askHuman.partial() : Config;
    const { error } = schema.safeParse(written);
    expect(error?.message, `${name}:${line}`).toBeUndefined();
  }
});
