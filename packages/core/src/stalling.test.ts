import { AutonomyConfig } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import { classifyCommand, readCommand } from "./classify/classify.ts";
import { MAX_STEPS } from "./classify/effort.ts";
import { permissionFor } from "./classify/pattern.ts";
import { judgeEffects } from "./classify/verdict.ts";
import { lineDiff } from "./projections/line-diff.ts";
import { mentionsOf } from "./commands/mentions.ts";
import { maxRead, objectsIn, searchObjects } from "./output/lenient-json.ts";
import { normalisedWords } from "./output/normalised-words.ts";
import { readOutput } from "./output/structured-output.ts";
import { readForm } from "./questions/form.ts";
import { rules } from "./testing.ts";
import { callHash } from "./state/hash.ts";
import { TextAskStream } from "./asks/text-asks.ts";
import { MAX_SAMPLED, tokensOf } from "./view/tokens.ts";

const classify = (command: string) => classifyCommand(command, ".", { architecture: ["docs/adr/**"], dir: "/work/shop" });
const permit = (command: string) =>
  permissionFor({ "run_command(npm *)": "ask", "run_command(*a*b*c)": "deny" }, { tool: "run_command", input: { command } });
const addressed = (text: string) => mentionsOf(text, undefined, rules().team);
const asked = (text: string) => {
  const reader = new TextAskStream({ selfId: "lead", askerId: "coder" });
  for (let at = 0; at < text.length; at += 7) reader.push(text.slice(at, at + 7));
  return reader.end();
};

const cpuMsSince = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
};

/** The processor time of the shortest of several runs, in milliseconds: other work on the machine doesn't count. */
function shortest(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const from = process.cpuUsage();
    work();
    return cpuMsSince(from);
  });
  return Math.min(...times);
}

const SIZE = 4_000;
/** Eight times the text takes eight times as long if the work is linear, and sixty-four times if it is quadratic. */
const MAX_GROWTH = 30;
/** Shorter times are too noisy to compare. */
const SLACK_MS = 30;

function expectLinear(read: (text: string) => unknown, piece: string): void {
  const small = piece.repeat(Math.ceil(SIZE / piece.length));
  const large = small.repeat(8);
  read(small);
  const limit = () => MAX_GROWTH * shortest(() => read(small)) + SLACK_MS;
  // A busy machine gets a second chance. Quadratic work fails every time.
  const isWithin = () => shortest(() => read(large)) < limit();
  expect(isWithin() || isWithin() || isWithin() || isWithin(), `${JSON.stringify(piece)} repeated`).toBe(true);
}

describe("[ST15] the paths of a command", () => {
  const many = Array.from({ length: 10_000 }, (_, nth) => `src/deep/${nth}/package.json`);
  const effects = {
    files: [],
    counts: { created: 0, changed: 0, emptied: 0, deleted: 0, moved: 0, lost: 0 },
    bytes: 0,
    git: [],
    refused: [],
  };
  const judge = (permissions: Readonly<Record<string, "ask" | "deny" | "allow">>) => {
    const judging = judgeEffects(effects, { autonomy: AutonomyConfig.parse({}), architecture: ["src/deep/77/*"], permissions }, many, [
      "last.txt",
    ]);
    for (let pauses = 0; ; pauses += 1) {
      const { done, value } = judging.next();
      if (done) return { pauses, ...value };
    }
  };

  test.each([
    [{}, "notify", undefined, 99],
    [{ "write_file(src/deep/9999/*)": "ask" }, "ask", "write_file(src/deep/9999/*)", 100],
    [{ "write_file(src/**)": "ask", "edit_file(last.txt)": "deny" }, "deny", "edit_file(last.txt)", 100],
    [{ "write_file(**)": "allow", "write_file(other)": "deny" }, "notify", undefined, 100],
  ] as const)("are judged a hundred at a time, with the same verdict: %j", (permissions, verdict, pattern, pauses) => {
    expect(judge(permissions)).toEqual({
      pauses,
      verdict,
      pattern,
      isAllowed: false,
      findings: [
        { class: "dependencyModifications", part: expect.stringContaining("(+9995)") },
        { class: "architectureDecisions", part: "src/deep/77/package.json" },
      ],
    });
  });
});

describe("[ST4] a command is read in time proportional to its length", () => {
  test.each([
    ..."{a,b} $( ` ' \" ${ $(( <( ; | a=b a=$a$a; x { } [ , {, {{,} -e $' eval sudo xargs / // @ s/./ > 'a b' \\".split(" "),

    "<<E\n",
    "sh -c '",
    "echo a|sh ",
    "env A=b ",
    "git -c a.b='!x' ",
    "find . -exec ",
    "node -e 'a b c d' ;",
    'python -c "rmSync open(" ;',
    "rm -rf a;",
    "cat <<E\nx\nE\n",
    "alias a=b;a ",
    "cd a;",
    "for i in a b;",
    "nix -c x ",
    "sed 'e x';",
    "sed ';  \n",
    '"$(',
    "a\\\n",
    "@\n",
    "npm i a ",
    "a>b;",
    "curl -o a b;",
    "foo 'a b' ",
    "A='a b' c;",
    "awk 'a b'",
    "parallel 'a b' ",
    "script -c 'a b' ",
    "wget ?#\n",
  ])("%j", (piece) => {
    expectLinear(classify, piece);
    expectLinear(permit, piece);
  });
  test("a name of dots and digits that ends in a letter", () => expectLinear((text) => classify(`${text}x`), "1."));
});

describe("[ST4] a command that would take too long to parse is not parsed to its end, and a person is asked", () => {
  test.each([
    ["many words in braces", `echo ${"{a,b}".repeat(20)}`],
    ["braces in braces", `echo ${"{a,".repeat(50)}b${"}".repeat(50)}`],
    ["substitutions in substitutions", `echo ${"$(".repeat(40)}true${")".repeat(40)}`],
    ["commands that start commands", "find . -exec ".repeat(200)],
    ["programs without end", "true;".repeat(20_000)],
    ["a text that no hand wrote", "x".repeat(200_000)],
    ["a variable that doubles", `a=${"x".repeat(5_000)};${"echo $a;".repeat(500)}`],
  ])("%s", (_, command) => expect(classify(command).map((one) => one.class)).toContain("destructive"));
});

describe("[ST4] a command costs a bounded number of steps, whatever it is made of", () => {
  const bodies =
    "find . -exec |a=b |a=b;|true;|x |{a,b} |a>b;|mv a b;|rm a b c;|echo a\\|sh |sh -c 'x';|node -e 'a b c d';|cat <<E\nx\nE\n|cd a;";
  test.each(bodies.split(/(?<!\\)\|/).map((one) => one.replace("\\|", "|")))("%j", (piece) => {
    const { findings, steps } = readCommand(piece.repeat(99_000 / piece.length), ".", { architecture: ["docs/**"], dir: "/work/shop" });
    expect(steps).toBeLessThanOrEqual(MAX_STEPS);
    expect(findings.map((one) => one.class)).toContain("destructive");
  });
  test("an ordinary command costs a small part of that", () => {
    const { findings, steps } = readCommand("npm test -- --watch=false && git add -A src test && git commit -m 'Fix the date'", ".", {
      architecture: ["docs/**"],
      dir: "/work/shop",
    });
    expect(findings).toEqual([]);
    expect(steps).toBeLessThan(MAX_STEPS / 100);
  });
});

test("[ST4] commands that people write are parsed to their end", () => {
  const body = "const total = lines.filter((line) => line !== '').map(Number).reduce((sum, one) => sum + one, 0);\n".repeat(500);
  expect(classify(`cat > src/total.ts <<'EOF'\n${body}EOF`)).toEqual([]);
  expect(classify(`mkdir -p src/{api,web,cli}/{model,view}/{one,two,three}`)).toEqual([]);
  expect(classify(`node -e "${body.slice(0, 3_000).replace(/["$`]/g, "")}"`)).toEqual([]);
});

test("[ST4] programs may have the names of built-in object properties", () => {
  for (const name of ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"]) {
    expect(classify(`${name} run install x`)).toEqual([]);
    expect(classify(`sudo ${name} a b`)).toEqual([]);
  }
});

describe("[ST5] what an agent says is read in time proportional to its length", () => {
  const output = (text: string) => [readOutput(`status open_questions ${text}`), objectsIn(text)];
  test.each([
    ...'{ [ {a: {"a":[ {\' {“ {“\\” " open_questions:[ {open_questions: /* {/* {# {a:1} {a:1, [[ 「 ` {status:1}'.split(" "),
    '{"status": "failed"',
    '{"open_questions":"a"}',
    '{"open_questions":[{"options":[1,2,3]}]}',
    "open_questions:\n- ",
    "``` ",
    "{ \n",
    "`",
    "```` {}",
  ])("objects in %j", (piece) => expectLinear(output, piece));
  test.each(["@", "@lead ", "@lead,", "@lead @coder ", "@x", "@lead"])("mentions in %j", (piece) => expectLinear(addressed, piece));
  test.each([". ", "a.", "—", '"', "。"])("words in %j", (piece) => expectLinear(normalisedWords, piece));
  test.each([
    "!?@lead a\n",
    "!?",
    "!?@",
    "!?\n",
    "```\n",
    "- ",
    "1. ",
    "!?@lead !tellaskSession ",
    "!?@a\n\n",
    "!?@lead x\n!?@ y\n",
    "~~~",
  ])("asks in %j", (piece) => expectLinear(asked, piece));
  test("one question with many options, and many questions", () => {
    const options = (count: number) =>
      JSON.stringify({ open_questions: [{ text: "Which?", options: Array.from({ length: count }, (_, nth) => `${nth}`) }] });
    const questions = (count: number) => JSON.stringify({ open_questions: Array.from({ length: count }, (_, nth) => `Which of ${nth}?`) });
    expect(readOutput(options(5_000)).questions[0]?.options.length).toBe(5_000);
    expect(readOutput(questions(2_000)).questions.length).toBe(2_000);
  });
});

test("[ST5] objects after a flood of brackets are not lost silently", () => {
  const flood = "{a:".repeat(60_000);
  expect(readOutput(`${flood} {"open_questions": ["Blue?"]}`).unreadable).toContain("Blue?");
  expect(readOutput(`${flood} {"status": "failed"}`).status).toBe("failed");
});

describe("[ST13] a server's pattern never blocks a person who answers its form", () => {
  const answer = (pattern: string, value: string) => {
    return readForm([{ name: "a", kind: "text", pattern }], value, [], rules().texts).ok;
  };
  const A = "a".repeat(40);
  test.each([
    "^(a+)+$",
    "^(a|a)*$",
    "^(a|aa)+$",
    "(a*)*b",
    "^((a?){20}){20}$",
    "(.*)\\1b",
    "(?<x>a+)\\k<x>b",
    `${"a?".repeat(40)}${A}b`,
    "a*a*a*a*a*a*a*a*a*b",
    `${"(?:a|a)".repeat(40)}b`,
    "^(?:(?:a+)b?)+$",
    "(?=(a+)+b)",
  ])("%s is left to the server", (pattern) => {
    const from = process.cpuUsage();
    expect(answer(pattern, `${A}!`)).toBe(true);
    expect(cpuMsSince(from)).toBeLessThan(2_000);
  });
  test("so is a plain one on a very long text", () => {
    expect(answer("a+b+c+$", "a".repeat(100_000))).toBe(true);
    expect(answer(`a{${"1".repeat(2_000)}}`, "a")).toBe(true);
  });
  test.each([
    ["^[A-Z]{2}-\\d{4}$", "DE-1234", "DE-12"],
    ["^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$", "a@example.org", "a@example"],
    ["^(?:small|large)$", "small", "medium"],
    ["^(?:\\d{3}-)+\\d$", "123-456-7", "12-3"],
    ["^[0-9a-f]{8}-[0-9a-f]{4}$", "0123abcd-0123", "0123abcd"],
    ["^(?=.*\\d)(?=.*[a-z]).{8,}$", "abcdefg1", "abcdefgh"],
    ["[)(|*+]\\p{L}", "(ä", "(1"],
  ])("%s is checked", (pattern, right, wrong) => {
    expect([answer(pattern, right), answer(pattern, wrong)]).toEqual([true, false]);
  });
  test("what looks like an address is one", () => {
    const isMail = (value: string) => readForm([{ name: "a", kind: "text", format: "email" }], value, [], rules().texts).ok;
    expect(["a@b.c", "a.b@c.d.e", "a@b", "a@b.", "@b.c", "a@.c d", "a@b@c.d", "a b@c.d"].map(isMail)).toEqual([
      true,
      true,
      ...Array.from({ length: 6 }, () => false),
    ]);
    expectLinear(isMail, "a.");
    expectLinear((text) => isMail(`a@${text} `), ".a");
  });
});

describe("[ST8] objects are looked for in a bounded number of characters", () => {
  test.each(['{"a":1}', "{a:1}, ", "{", "{a:", '{"open_questions":"a"}', "{open_questions:[", '{"status": "failed"'])("%j", (piece) => {
    for (const length of [50_000, 200_000, 1_000_000]) {
      const text = piece.repeat(length / piece.length);
      expect(searchObjects(text).read).toBeLessThan(maxRead(text.length) + 5_000);
    }
  });
});

test("[ST9] the tokens of a long text are estimated from a sample of its characters", () => {
  const looked: number[] = [];
  const text = (length: number): string =>
    ({
      length,
      charCodeAt: (at: number) => {
        looked.push(at);
        return at % 3 === 0 ? 0x4e2d : 97;
      },
    }) as unknown as string;
  expect(tokensOf(text(3_000))).toBe(1_500);
  expect(looked.length).toBe(3_000);
  looked.length = 0;
  expect(tokensOf(text(1_000_000)) / 500_000).toBeCloseTo(1, 1);
  expect(looked.length).toBeLessThanOrEqual(MAX_SAMPLED);
});

test("[ST9] a call is hashed once", () => {
  let read = 0;
  const call = {
    tool: "write_file",
    get input() {
      read += 1;
      return { content: "x" };
    },
  };
  expect(callHash(call)).toBe(callHash(call));
  expect(read).toBe(1);
  expect(callHash({ tool: "write_file", input: { content: "x" } })).toBe(callHash(call));
});

test("[X34] a text with more than a hundred asks says so once, and the rest is not read", () => {
  const { asks, problems } = asked("!?@coder Do it.\n\n".repeat(2_000));
  expect(asks.length).toBe(100);
  expect(problems.map((one) => one.code)).toEqual(["too_many"]);
  expect(problems[0]?.message).toContain("at most 100 asks");
});

describe("[ST6] two texts are compared in time proportional to their length", () => {
  const changed = (text: string) => lineDiff(text, text.replaceAll("a", "b"));
  const halved = (text: string) =>
    lineDiff(
      text,
      text
        .split("\n")
        .filter((_, nth) => nth % 2 === 0)
        .join("\n"),
    );
  test.each(["a\n", "ba\n\n"])("lines like %j", (piece) => {
    expectLinear((text) => changed(text.repeat(10)), piece);
    expectLinear((text) => halved(text.repeat(10)), piece);
  });
});
