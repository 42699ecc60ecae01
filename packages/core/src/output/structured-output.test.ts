import { describe, expect, test } from "vitest";
import { normalisedWords } from "./normalised-words.ts";
import { readOutput } from "./structured-output.ts";

const texts = (output: string) => readOutput(output).questions.map((question) => question.text);

describe("[OQ1] questions are read leniently, in every shape that models write", () => {
  test.each<readonly [name: string, output: string, expected: readonly string[]]>([
    ["bare", '{"open_questions":[{"id":"q1","text":"Which database?"}]}', ["Which database?"]],
    ["camel case", '{"openQuestions":[{"text":"A?"}]}', ["A?"]],
    ["upper case letters inside", '{"Open_Questions":["A?"]}', ["A?"]],
    ["both, the first empty", '{"open_questions":[],"openQuestions":["B?"]}', ["B?"]],
    ["both, the second empty", '{"openQuestions":null,"open_questions":["B?"]}', ["B?"]],
    ["strings", '{"open_questions":["A?","B?"]}', ["A?", "B?"]],
    ["one string alone", '{"open_questions":"A?"}', ["A?"]],
    ["one object alone", '{"open_questions":{"id":"q1","text":"A?"}}', ["A?"]],
    ["by id", '{"open_questions":{"q1":"A?","q2":{"text":"B?"}}}', ["A?", "B?"]],
    ["a list within", '{"open_questions":{"questions":["A?"]}}', ["A?"]],
    ["a list in a list", '{"open_questions":[["A?","B?"]]}', ["A?", "B?"]],
    ["other names for the text", '{"open_questions":[{"question":"A?"},{"content":"B?"},{"prompt":"C?"}]}', ["A?", "B?", "C?"]],
    ["fenced", 'I need help.\n```json\n{"open_questions":["A?"]}\n```', ["A?"]],
    ["fenced without a language, words after", '```\n{"open_questions":["A?"]}\n```\nThanks!', ["A?"]],
    ["in prose", 'Here you are: {"open_questions": ["A?"]} and that is all.', ["A?"]],
    ["beside success", '{"status":"success","summary":"done","open_questions":["A?"]}', ["A?"]],
    ["both filled", '{"open_questions":["A?"],"openQuestions":["B?"]}', ["A?", "B?"]],
    ["with a space or a dash", '{"Open Questions":["A?"],"open-questions":["B?"]}', ["A?", "B?"]],
    ["every object counts", '{"open_questions":["A?"]} … {"status":"success","open_questions":["B?"]}', ["A?", "B?"]],
    ["a later empty list takes nothing back", '{"open_questions":["A?"]}\n{"status":"success","open_questions":[]}', ["A?"]],
    ["a later object repeats one", '{"open_questions":["A?","B?"]}\n{"open_questions":["b ？","C?"]}', ["A?", "B?", "C?"]],
    ["in another object than the status", '{"status":"failed"} {"open_questions":["A?"]}', ["A?"]],
    ["nested", '{"result":{"status":"failed","open_questions":["A?"]}}', ["A?"]],
    ["deeply nested, in lists", '{"a":[1,[{"b":{"c":[{"openQuestions":"A?"}]}}]],"open_questions":["B?"]}', ["B?", "A?"]],
    ["below a question", '{"open_questions":[{"text":"A?","open_questions":["B?"]}]}', ["A?", "B?"]],
    ["itself within itself", '{"open_questions":{"open_questions":["A?"]}}', ["A?"]],
    ["lists by topic", '{"open_questions":{"technical":["A?"],"product":[{"text":"B?"}]}}', ["A?", "B?"]],
    ["lists with a title", '{"open_questions":[{"title":"Technical","questions":["A?","B?"]}]}', ["A?", "B?"]],
    ["another object after it", '{"open_questions":["A?"]}\nSee {"port": 80}.', ["A?"]],
    ["code before it", 'if (a) { b(); }\n{"open_questions":["A?"]}', ["A?"]],
    ["braces in the text", '{"open_questions":["Use {id} or :id?"]}', ["Use {id} or :id?"]],
    ["trailing commas", '{"open_questions":["A?",],}', ["A?"]],
    ["comments", '{\n// what I need\n"open_questions":[/* one */"A?"]}', ["A?"]],
    ["single quotes", "{'open_questions': ['A?']}", ["A?"]],
    ["curly quotes", "{“open_questions”: [“A?”]}", ["A?"]],
    ["bare keys", '{open_questions: [{text: "A?"}]}', ["A?"]],
    ["line breaks in a string", '{"open_questions":["First line\nsecond?"]}', ["First line\nsecond?"]],
    ["escapes", '{"open_questions":["\\u4f60\\u597d \\"x\\"\\n?"]}', ['你好 "x"\n?']],
    ["Python", "{'open_questions': ['A?'], 'done': False, 'x': None}", ["A?"]],
    ["Chinese punctuation", '{"open_questions"：["甲？"，"乙？"]}', ["甲？", "乙？"]],
    ["numbers as ids", '{"open_questions":[{"id":1,"text":"A?"}]}', ["A?"]],
    ["the same twice", '{"open_questions":["A?","A?"]}', ["A?"]],
    ["context beside it", '{"open_questions":[{"text":"A?","context":"because"}]}', ["A?\nbecause"]],
    ["deeper", '{"result":{"x":1},"open_questions":["A?"]}', ["A?"]],
    ["in a list", '[{"open_questions":["A?"]}]', ["A?"]],
    ["nothing", "All is well.", []],
    ["empty list", '{"open_questions":[]}', []],
    ["null", '{"open_questions":null}', []],
    ["an empty string", '{"open_questions":""}', []],
    ["the word none", '{"open_questions":"None."}', []],
    ["empty entries", '{"open_questions":["", null]}', []],
    ["only spoken of", "I have no open_questions left.", []],
    ["spoken of, with a colon", "I have no open_questions: everything is clear.", []],
    ["spoken of in quotes", 'The field "open_questions": it stays empty.', []],
    ["spoken of in Chinese", "没有 open_questions：一切都清楚。", []],
    ["spoken of at the end", "These are my open_questions:", []],
    ["an empty list without an object", "open_questions: []", []],
    ["spoken of within an object", '{"status":"success","summary":"no open_questions: [none"}', []],
    ["another object", '{"questions":["A?"]}', []],
  ])("%s", (_name, output, expected) => {
    expect(texts(output)).toEqual(expected);
    expect(readOutput(output).unreadable).toBeUndefined();
  });
});

test("[OQ1] choices, ids, times and kinds", () => {
  const output = readOutput(
    JSON.stringify({
      open_questions: [
        { id: "q1", text: "Which?", options: ["A", { label: "B", pros: ["fast"], cons: "new", recommended: true }, 3, {}, "A"] },
        { id: 7, text: "Sure?", kind: "confirmation", createdAt: "2026-01-01T00:00:00Z" },
        { text: "How?", choices: { "By hand": "slow", "By script": { description: "fast" } }, createdAt: "yesterday" },
        { text: "Where?", options: "none" },
      ],
    }),
  );
  expect(output.questions).toEqual([
    {
      id: "q1",
      text: "Which?",
      kind: "question",
      createdAt: undefined,
      options: [{ label: "A" }, { label: "B", pros: ["fast"], cons: ["new"], recommended: true }, { label: "3" }],
    },
    { id: "7", text: "Sure?", kind: "confirmation", createdAt: "2026-01-01T00:00:00Z", options: [] },
    {
      id: undefined,
      text: "How?",
      kind: "question",
      createdAt: undefined,
      options: [
        { label: "By hand", description: "slow" },
        { label: "By script", description: "fast" },
      ],
    },
    { id: undefined, text: "Where?", kind: "question", createdAt: undefined, options: [] },
  ]);
});

describe("[OQ2] unreadable questions are kept in their own words", () => {
  test.each<readonly [name: string, output: string, unreadable: string]>([
    ["cut off", 'Now: {"open_questions": [{"text": "Which da', '{"open_questions": [{"text": "Which da'],
    ["no object around it", '"open_questions": ["A?"', '"open_questions": ["A?"'],
    ["nonsense for a list", '{"open_questions": 42}', "42"],
    ["an entry without words", '{"open_questions": [{"id":"q1"}, "A?"]}', '{"id":"q1"}'],
    ["numbers", '{"open_questions": [1, 2]}', "1\n2"],
    ["cut off after the colon", 'So: {"status":"failed","open_questions":', '{"status":"failed","open_questions":'],
    ["cut off in the middle of a list", 'open_questions: ["A?", "B', 'open_questions: ["A?", "B'],
    ["line by line", "Open_questions:\n- Which database?", "Open_questions:\n- Which database?"],
    ["broken before a good one", '{"open_questions": [oops} {"open_questions":["A?"]}', '{"open_questions": [oops}'],
    ["twice", '{"open_questions": [one {"open_questions": [two', '{"open_questions": [one {"open_questions": [two'],
    ["broken after a good one", '{"status":"success"} {"open_questions": [oops', '{"open_questions": [oops'],
  ])("%s", (_name, output, unreadable) => {
    expect(readOutput(output).unreadable).toBe(unreadable);
  });
});

test("[OQ3] status and summary", () => {
  expect(readOutput('{"status":"success","summary":" Done. "}')).toMatchObject({ status: "success", summary: "Done." });
  expect(readOutput('Sorry.\n```json\n{"status": "FAILED"}\n```')).toMatchObject({ status: "failed", summary: undefined });
  expect(readOutput('Sorry.\n```json\n{"status": "failed"}\n```\n\nAsk again.').around).toBe("Sorry.\n\nAsk again.");
  expect(readOutput('{"open_questions": ["Which?"]}').around).toBe("");
  expect(readOutput("Nothing of that kind.").around).toBeUndefined();
  expect(readOutput('{"status":"failed","summary":"No."} then {"status":"success","summary":"Yes."}')).toMatchObject({
    status: "failed",
    summary: "No.",
  });
  expect(readOutput('{"status":"success"} {"steps":[{"status":"done"},{"status":"failed"}]}').status).toBe("failed");
  expect(readOutput('{"summary":"Outside.","result":{"Status":"failed"}}')).toMatchObject({ status: "failed", summary: "Outside." });
  expect(readOutput('{"status":"success"} {"status": "failed", "summary": "I ran out of').status).toBe("failed");
  expect(readOutput('Before.\n{"status":"failed"}\nBetween.\n```json\n{"open_questions":["A?"]}\n```\nAfter.').around).toBe(
    "Before.\n\nBetween.\n\nAfter.",
  );
  expect(readOutput('{"status": 200}').status).toBeUndefined();
  expect(readOutput('{"status": "pending"}').status).toBeUndefined();
  expect(readOutput("status: all is fine").status).toBeUndefined();
});

test("[OQ1] a question written twice is one, with everything said about it", () => {
  const output = readOutput(
    'I ask {"open_questions":["Which one?"]}. {"open_questions":[{"id":"q1","text":"which  one","options":["A"]}]}',
  );
  expect(output.questions).toMatchObject([{ id: "q1", text: "Which one?", options: [{ label: "A" }] }]);
});

test("[OQ10] comparison ignores case, white space, punctuation and widths; names and numbers stay distinct", () => {
  const same = [
    ["Which database?", "which  database"],
    ["Which database?", "Ｗｈｉｃｈ ｄａｔａｂａｓｅ？"],
    ["Use “A” — or B?", 'use "A" - or B'],
    ["用哪个数据库？", "用哪个数据库"],
    ["甲，还是乙？", "甲,还是乙。"],
    ["Don’t wait…", "don't wait..."],
  ] as const;
  for (const [one, other] of same) expect(normalisedWords(one)).toBe(normalisedWords(other));
  const other = ["C", "C#", "C++", "-1", "1", "v1.2", "v12", "a.b", "ab", "?", "!"];
  expect(new Set(other.map(normalisedWords)).size).toBe(other.length);
});

test("[OQ1] a long text with much white space and punctuation is read quickly", () => {
  const text = `status ${" \n".repeat(90_000)}{"open_questions":["${".".repeat(50_000)}x"]}`;
  expect(readOutput(text).questions).toHaveLength(1);
});

test("[OQ1] a long text with many braces is read quickly", () => {
  const text = `${"{ ".repeat(40_000)} open_questions ${'{"a":'.repeat(20_000)}`;
  expect(readOutput(text).questions).toEqual([]);
});
