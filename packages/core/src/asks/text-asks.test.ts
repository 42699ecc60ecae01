import { expect, test } from "vitest";
import { parseTextAsks, type TextAsk, TextAskStream, type TextProblem } from "./text-asks.ts";

const place = { selfId: "lead", askerId: "boss" };

/** The short form of a block's meaning: the tool and its input, or the code of the problem. */
type Found = readonly unknown[] | TextProblem["code"];
function found(text: string, at: Parameters<typeof parseTextAsks>[1] = place): Found[] {
  const { asks, problems } = parseTextAsks(text, at);
  const short = (one: TextAsk | TextProblem): Found => ("code" in one ? one.code : [one.tool, ...Object.values(one.input)]);
  return [...asks, ...problems].toSorted((a, b) => a.from - b.from).map(short);
}

const toCoder = (content: string) => ["tellaskSessionless", "coder", content] as const;
const lines = (...some: string[]) => some.join("\n");

test.each<[rule: string, text: string, found: Found[]]>([
  ["[X1] one line is a block", "!?@coder go", [toCoder("go")]],
  ["[X1] with text around it", "Well.\n!?@coder go\nSo.", [toCoder("go")]],
  ["[X1] lines that follow belong to it", "!?@coder go\n!?on", [toCoder("go\non")]],
  ["[X1] a blank line ends it", "!?@coder a\n\n!?@coder b", [toCoder("a"), toCoder("b")]],
  ["[X1] a line of spaces ends it", "!?@coder a\n  \n!?@coder b", [toCoder("a"), toCoder("b")]],
  ["[X1] a line of text ends it", "!?@coder a\nand\n!?@coder b", [toCoder("a"), toCoder("b")]],
  ["[X1] half of the mark ends it", "!?@coder a\n!\n!?@coder b\n!", [toCoder("a"), toCoder("b")]],
  ["[X1] a fence ends it", "!?@coder a\n```\n!?@coder b\n```\n!?c", [toCoder("a")]],
  ["[X1] lines after a blank line are not part of it", "!?@coder a\n\n!?lost", [toCoder("a")]],
  ["[X1] not within a line", "Use !?@coder go", []],
  ["[X1] not after an invisible character", "\u200b!?@coder go", []],
  ["[X1] not apart", "! ?@coder go", []],
  ["[X1] an empty text asks nobody", "", []],
  ["[X1] the mark alone asks nobody", "!?", []],

  ["[X3] CRLF ends lines", "!?@coder a\r\n!?b\r\n\r\n!?@human c\r\n", [toCoder("a\nb"), ["askHuman", "c"]]],
  ["[X3] a last line with half of a CRLF", "!?@coder a\r", [toCoder("a")]],
  ["[X3] a lone CR ends no line", "text\r!?@coder a", []],
  ["[X3] a lone CR within a line is text", "!?@coder a\r!?b", [toCoder("a\r!?b")]],
  ["[X3] a line separator of Unicode ends no line", "!?@coder a\u2028b\n!?c", [toCoder("a\u2028b\nc")]],
  ["[X3] CRLF after a closing fence", "```\r\n!?@coder a\r\n```\r\n!?@coder b\r\n", [toCoder("b")]],

  ["[X4] backticks", "```\n!?@coder a\n```\n!?@coder b", [toCoder("b")]],
  ["[X4] tildes", "~~~\n!?@coder a\n~~~\n!?@coder b", [toCoder("b")]],
  ["[X4] an info string", "```ts title=x\n!?@coder a\n```\n!?@coder b", [toCoder("b")]],
  ["[X4] an info string with a backtick is inline code", "```x``` is code\n!?@coder a", [toCoder("a")]],
  ["[X4] an info string after tildes may contain backticks", "~~~ `x`\n!?@coder a\n~~~", []],
  ["[X4] an info string with odd signs", "```ts\u2028\r\t🙂\n!?@coder a\n```\n!?@coder b", [toCoder("b")]],
  ["[X4] two signs are none", "``\n!?@coder a\n``", [toCoder("a")]],
  ["[X4] fewer signs do not close", "`````\n````\n!?@coder a\n`````\n!?@coder b", [toCoder("b")]],
  ["[X4] more signs close", "```\n!?@coder a\n``````\n!?@coder b", [toCoder("b")]],
  ["[X4] the other sign does not close", "```\n~~~\n!?@coder a\n```\n!?@coder b", [toCoder("b")]],
  ["[X4] a fence line with more text does not close", "```\n``` no\n!?@coder a\n```\n!?@coder b", [toCoder("b")]],
  ["[X4] a closing fence may end with spaces and tabs", "```\n!?@coder a\n``` \t \n!?@coder b", [toCoder("b")]],
  ["[X4] three spaces before it open and close", "   ```\n!?@coder a\n   ```\n!?@coder b", [toCoder("b")]],
  ["[X4] four spaces do not close", "```\n!?@coder a\n    ```\n!?@coder b\n```\n!?@coder c", [toCoder("c")]],
  ["[X4] one after the other", "```\n```\n!?@coder a\n~~~\n~~~\n!?@coder b", [toCoder("a"), toCoder("b")]],
  ["[X4] after !? a fence is text of the ask, and opens nothing", "!?```\nx\n!?@coder a", [toCoder("a")]],

  ["[X5] to the end", "```\n!?@coder a\n\n!?@coder b", []],
  ["[X5] a fence in the last line", "!?@coder a\n```", [toCoder("a")]],

  ["[X6] after a bullet", "- ```sh\n  npm i\n  ```\n!?@coder a", [toCoder("a")]],
  ["[X6] after a bullet, closed at the margin", "* ~~~\n!?@coder a\n~~~\n!?@coder b", [toCoder("b")]],
  ["[X6] after a number", "10. ```\n    !?@coder a\n    ```\n!?@coder b", [toCoder("b")]],
  ["[X6] after two markers", "- 1. ```\n     x\n     ```\n!?@coder a", [toCoder("a")]],
  ["[X6] deeper than the list and three more does not close", "- ```\n      ```\n!?@coder a\n  ```\n!?@coder b", [toCoder("b")]],
  ["[X6] five spaces after a marker make it indented", "-     ```\n!?@coder a", [toCoder("a")]],
  ["[X6] indented below an item", "1. so\n   ```\n   !?@coder a\n   ```\n!?@coder b", [toCoder("b")]],

  ["[X7] a quoted ask", "> !?@coder a", []],
  ["[X7] a quotation without a space", ">!?@coder a", []],
  ["[X7] a quotation ends a block", "!?@coder a\n> !?b\n!?@coder c", [toCoder("a"), toCoder("c")]],
  ["[X7] the line after a quotation", "> said\n!?@coder a", [toCoder("a")]],
  ["[X7] a quoted fence", "> ```\n!?@coder a", [toCoder("a")]],
  ["[X7] one space", " !?@coder a", []],
  ["[X7] a tab", "\t!?@coder a", []],
  ["[X7] an indented line ends a block", "!?@coder a\n !?b", [toCoder("a")]],
  ["[X7] a fence after four spaces", "    ```\n!?@coder a", [toCoder("a")]],
  ["[X7] a fence after a tab", "\t```\n!?@coder a", [toCoder("a")]],
  ["[X7] a list item", "- !?@coder a", []],

  ["[X8] a cry", "!?", []],
  ["[X8] a cry of many lines", "!?What\n!?\n!? @coder is that", []],
  ["[X8] an @ in a fence of a plain block", "!?```\n!?@Override\n!?```", []],
  ["[X9] the name in the second line", "!?Please\n!?@coder go", ["late_name"]],
  ["[X9] a space before the first name", "!? @coder a\n!?@coder b", ["late_name"]],

  ["[X10] a full-width @", "!?＠coder a", []],
  ["[X10] full-width marks", "！？@coder a", []],
  ["[X10] a full-width @ is body", "!?@coder a\n!?＠tester b", [toCoder("a\n＠tester b")]],
  ["[X10] a full-width directive is text", "!?@coder ！tellaskSession s", [toCoder("！tellaskSession s")]],
])("%s", (_rule, text, expected) => expect(found(text)).toEqual(expected));

test.each<[rule: string, text: string, found: Found[]]>([
  ["[X11] digits, _ and - are of the name", "!?@Coder_2-b go", [["tellaskSessionless", "Coder_2-b", "go"]]],
  ["[X11] it ends at a tab", "!?@coder\tgo", [toCoder("go")]],
  ["[X11] it ends at a wide space", "!?@coder\u3000go", [toCoder("go")]],
  ["[X11] it ends at punctuation", "!?@coder.go", [toCoder(".go")]],
  ["[X11] it ends at Chinese punctuation", "!?@coder（go）", [toCoder("（go）")]],
  ["[X11] it ends at a dash that is no hyphen", "!?@coder—go", [toCoder("—go")]],
  ["[X11] it ends at a symbol", "!?@coder=go", [toCoder("=go")]],
  ["[X11] it ends at an emoji", "!?@coder🙂", [toCoder("🙂")]],
  ["[X11] it ends at another @", "!?@coder@tester go", [toCoder("@tester go")]],
  ["[X11] nothing is no name", "!?@", ["bad_name"]],
  ["[X11] a space is no name", "!?@ coder go", ["bad_name"]],
  ["[X11] a digit begins none", "!?@2coder go", ["bad_name"]],
  ["[X11] a hyphen begins none", "!?@-coder go", ["bad_name"]],
  ["[X11] other letters are none", "!?@程序员 go", ["bad_name"]],
  ["[X11] other letters directly after it do not end it", "!?@coder请看", ["bad_name"]],
  ["[X11] nor do accents", "!?@rené go", ["bad_name"]],
  ["[X11] nor after a hyphen", "!?@coder-请 go", ["bad_name"]],
  ["[X11] half an emoji", "!?@coder\ud83d go", ["bad_name"]],

  ["[X12] the asker", "!?@tellasker why?", [["tellaskBack", "why?"]]],
  ["[X13] the asker by id", "!?@boss why?", [["tellaskBack", "why?"]]],
  ["[X13] the asker by id, in a session", "!?@boss !tellaskSession s why?", [["tellask", "boss", "s", "why?"]]],
  ["[X14] a person", "!?@human why?", [["askHuman", "why?"]]],
  ["[X15] oneself afresh", "!?@self why?", [["freshBootsReasoning", "why?"]]],
  ["[X15] oneself in a session", "!?@self !tellaskSession s why?", [["tellask", "lead", "s", "why?"]]],
  ["[X16] an agent", "!?@coder go", [toCoder("go")]],
  ["[X16] an agent in a session", "!?@coder !tellaskSession fix-1 go", [["tellask", "coder", "fix-1", "go"]]],
  ["[X16] one's own id", "!?@lead go", [["tellaskSessionless", "lead", "go"]]],
  ["[X16] one's own id in a session", "!?@lead !tellaskSession s go", [["tellask", "lead", "s", "go"]]],
  ["[X16] a name of every object", "!?@constructor go", [["tellaskSessionless", "constructor", "go"]]],
  ["[X16] a name that begins like another", "!?@humans go", [["tellaskSessionless", "humans", "go"]]],
  ["[X17] another case is another name", "!?@Human go", [["tellaskSessionless", "Human", "go"]]],
  ["[X17] another case is no session", "!?@coder !tellasksession s", [toCoder("!tellasksession s")]],
])("%s", (_rule, text, expected) => expect(found(text)).toEqual(expected));

test.each<[rule: string, askerId: string | undefined, text: string, found: Found[]]>([
  ["[X12] without an asker", undefined, "!?@tellasker why?", [["tellaskBack", "why?"]]],
  ["[X13] without an asker every id is an agent's", undefined, "!?@boss why?", [["tellaskSessionless", "boss", "why?"]]],
  ["[X13] asked by oneself", "lead", "!?@lead why?", [["tellaskBack", "why?"]]],
  ["[X15] asked by oneself, afresh all the same", "lead", "!?@self why?", [["freshBootsReasoning", "why?"]]],
  ["[X13] asked by oneself, another session", "lead", "!?@lead !tellaskSession s why?", [["tellask", "lead", "s", "why?"]]],
])("%s", (_rule, askerId, text, expected) => expect(found(text, { selfId: "lead", askerId })).toEqual(expected));

test.each<[rule: string, text: string, found: Found[]]>([
  ["[X18] later lines with an @", "!?@coder a\n!?@tester b", [toCoder("a\n@tester b")]],
  ["[X18] before the body", "!?@coder a\n!?b\n!?@tester c\n!?d", [toCoder("a\n@tester c\nb\nd")]],
  ["[X18] the same name again", "!?@coder a\n!?@coder b", [toCoder("a\n@coder b")]],
  ["[X18] an @ alone", "!?@coder a\n!?@", [toCoder("a\n@")]],
  ["[X18] later names need not be names", "!?@coder a\n!?@2 b", [toCoder("a\n@2 b")]],
  ["[X18] nothing after the name", "!?@coder\n!?@tester b", [toCoder("@tester b")]],
  ["[X19] spaces stay", "!?@coder a\n!?  b\n!? c", [toCoder("a\n  b\n c")]],
  ["[X19] a space before an @ makes it body", "!?@coder a\n!?b\n!? @c", [toCoder("a\nb\n @c")]],
  ["[X19] only one mark goes", "!?@coder a\n!?!?@x", [toCoder("a\n!?@x")]],
  ["[X19] a quotation", "!?@coder a\n!?> b", [toCoder("a\n> b")]],
  ["[X20] an annotation", lines("!?@coder a", "!?```java", "!?@Override", "!?```", "!?@b"), [toCoder("a\n@b\n```java\n@Override\n```")]],
  ["[X20] to the end of the block", "!?@coder a\n!?~~~\n!?@b\n\n!?@coder c", [toCoder("a\n~~~\n@b"), toCoder("c")]],
  ["[X21] a headline", "!?@coder   a b  ", [toCoder("a b")]],
  ["[X21] a body", "!?@coder\n!?a", [toCoder("a")]],
  ["[X21] both", "!?@coder a\n!?b", [toCoder("a\nb")]],
  ["[X21] blank lines before and after", "!?@coder\n!?\n!? \n!?  a\n!?\n!?\t", [toCoder("  a")]],
  ["[X21] blank lines within", "!?@coder a\n!?\n!?b\n!?\n!?\n!?c", [toCoder("a\n\nb\n\n\nc")]],
  [
    "[X21] every agent alike",
    "!?@tellasker a\n!?b\n\n!?@self a\n!?b",
    [
      ["tellaskBack", "a\nb"],
      ["freshBootsReasoning", "a\nb"],
    ],
  ],
  ["[X22] both", "!?@human Which?\n!?One\n!?or two", [["askHuman", "Which?", "One\nor two"]]],
  ["[X22] a headline of two lines", "!?@human Which?\n!?One\n!?@coder asks", [["askHuman", "Which? @coder asks", "One"]]],
  ["[X22] only a headline", "!?@human Which?", [["askHuman", "Which?"]]],
  ["[X22] only a headline of two lines", "!?@human Which?\n!?@coder asks", [["askHuman", "Which?\n@coder asks"]]],
  ["[X22] a blank body", "!?@human Which?\n!?\n!? ", [["askHuman", "Which?"]]],
  ["[X22] only a body", "!?@human\n!?\n!?Which?", [["askHuman", "Which?"]]],
  ["[X22] blank lines around the body", "!?@human Which?\n!?\n!?  One\n!?", [["askHuman", "Which?", "  One"]]],
  ["[X23] a colon", "!?@coder: go", [toCoder("go")]],
  ["[X23] a comma", "!?@coder,go", [toCoder("go")]],
  ["[X23] wide ones", "!?@coder，a\n\n!?@coder：b\n\n!?@coder、c", [toCoder("a"), toCoder("b"), toCoder("c")]],
  ["[X23] only one", "!?@coder:: go", [toCoder(": go")]],
  ["[X23] only directly after it", "!?@coder : go", [toCoder(": go")]],
  ["[X23] after a slug", "!?@coder: !tellaskSession s: go", [["tellask", "coder", "s", "go"]]],
  ["[X24] a name alone", "!?@coder", ["no_content"]],
  ["[X24] spaces", "!?@coder  \n!?\n!?  ", ["no_content"]],
  ["[X24] a colon", "!?@coder:", ["no_content"]],
  ["[X24] a session alone", "!?@coder !tellaskSession s", ["no_content"]],
  ["[X24] for everyone", "!?@human\n\n!?@self\n\n!?@tellasker", ["no_content", "no_content", "no_content"]],
])("%s", (_rule, text, expected) => expect(found(text)).toEqual(expected));

const inSession = (slug: string, content: string) => ["tellask", "coder", slug, content] as const;

test.each<[rule: string, text: string, found: Found[]]>([
  ["[X25] after the name", "!?@coder !tellaskSession s go", [inSession("s", "go")]],
  ["[X25] at the end", "!?@coder go !tellaskSession s", [inSession("s", "go")]],
  ["[X25] in the middle", "!?@coder go  !tellaskSession s  on", [inSession("s", "go on")]],
  ["[X25] directly after the name", "!?@coder!tellaskSession s go", [inSession("s", "go")]],
  ["[X25] after a comma", "!?@coder，!tellaskSession s，go", [inSession("s", "go")]],
  ["[X25] after a tab and with wide spaces", "!?@coder\t!tellaskSession\u3000s\u3000go", [inSession("s", "go")]],
  ["[X25] on a later line of the headline", "!?@coder a\n!?b\n!?@c !tellaskSession s d", [inSession("s", "a\n@c d\nb")]],
  ["[X25] with a body alone", "!?@coder !tellaskSession s\n!?go", [inSession("s", "go")]],
  ["[X25] text in the body", "!?@coder go\n!?!tellaskSession s", [toCoder("go\n!tellaskSession s")]],
  [
    "[X25] text in the body beside one in the headline",
    "!?@coder !tellaskSession s\n!? !tellaskSession t",
    [inSession("s", " !tellaskSession t")],
  ],
  ["[X25] text in code", "!?@coder what is `!tellaskSession s`?", [toCoder("what is `!tellaskSession s`?")]],
  ["[X25] text within a word", "!?@coder a!tellaskSession s", [toCoder("a!tellaskSession s")]],
  ["[X26] every sign of a slug", "!?@coder !tellaskSession aZ0_-9- go", [inSession("aZ0_-9-", "go")]],
  ["[X26] ends at punctuation", "!?@coder !tellaskSession s.t go", [inSession("s", ".t go")]],
  ["[X26] ends at Chinese punctuation", "!?@coder !tellaskSession s。go", [inSession("s", "。go")]],
  ["[X26] ends at a quote", "!?@coder !tellaskSession s' go", [inSession("s", "' go")]],
  ["[X26] missing", "!?@coder !tellaskSession", ["bad_slug"]],
  ["[X26] missing, with a body", "!?@coder !tellaskSession \n!?s", ["bad_slug"]],
  ["[X26] missing, with a later line", "!?@coder !tellaskSession\n!?@s", ["bad_slug"]],
  ["[X26] a digit first", "!?@coder !tellaskSession 1s go", ["bad_slug"]],
  ["[X26] a hyphen first", "!?@coder !tellaskSession -s go", ["bad_slug"]],
  ["[X26] in quotes", '!?@coder !tellaskSession "s" go', ["bad_slug"]],
  ["[X26] other letters", "!?@coder !tellaskSession 市场 go", ["bad_slug"]],
  ["[X26] other letters after it", "!?@coder !tellaskSession s市场 go", ["bad_slug"]],
  ["[X26] other letters after a hyphen", "!?@coder !tellaskSession s-市场 go", ["bad_slug"]],
  ["[X26] with a colon", "!?@coder !tellaskSession: s go", ["bad_slug"]],
  ["[X26] without a space", "!?@coder !tellaskSessions go", ["bad_slug"]],
  ["[X27] the asker", "!?@tellasker !tellaskSession s go", ["no_session_here"]],
  ["[X27] the asker, with a bad slug and no content", "!?@tellasker !tellaskSession", ["no_session_here"]],
  ["[X27] a person", "!?@human !tellaskSession s go", ["no_session_here"]],
  ["[X27] in the body it is text", "!?@tellasker go\n!?!tellaskSession s", [["tellaskBack", "go\n!tellaskSession s"]]],
  ["[X28] two slugs", "!?@coder !tellaskSession s !tellaskSession t go", ["two_sessions"]],
  ["[X28] the same slug", "!?@coder !tellaskSession s go\n!?@x !tellaskSession s", ["two_sessions"]],
])("%s", (_rule, text, expected) => expect(found(text)).toEqual(expected));

test.each([
  ["[X2] alone", "<!?@coder go>"],
  ["[X2] with text around", "Well.\n\n<!?@coder go>\n\nSo."],
  ["[X2] of many lines", "🙂\n<!?@coder go\n!?on\n!?>\n"],
  ["[X2] with CRLF", "Well.\r\n<!?@coder go\r\n!?on>\r\nSo."],
  ["[X2] of a problem", "Well.\n<!?@2 go\n!?on>\n"],
  ["[X2] half of a CRLF at the end", "<!?@coder go>\r"],
])("%s", (_rule, marked) => {
  const { asks, problems } = parseTextAsks(marked.replace(/[<>]/g, ""), place);
  const from = marked.indexOf("<");
  expect([...asks, ...problems]).toEqual([expect.objectContaining({ from, to: marked.indexOf(">") - 1 })]);
});

test("[X29] a problem does not affect the other blocks", () => {
  expect(found("!?@coder a\n\n!?@2\n\n!?@human b\n\n!?@tellasker !tellaskSession")).toEqual([
    toCoder("a"),
    "bad_name",
    ["askHuman", "b"],
    "no_session_here",
  ]);
});

test.each([
  ["[X29] late_name", "!?Please\n!?@coder go", /^"!\?Please" asks nobody: .*!\?@name/],
  ["[X29] bad_name", "!?@2 go", /^"!\?@2 go" asks nobody: .*tellasker, human, self or an agent's id/],
  ["[X29] no_session_here", "!?@human !tellaskSession s go", /agent's id or with @self/],
  ["[X29] two_sessions", "!?@coder !tellaskSession s !tellaskSession t go", /once/],
  ["[X29] bad_slug", "!?@coder !tellaskSession 1 go", /!\?@name !tellaskSession my-topic\.$/],
  ["[X29] no_content", "!?@coder", /^"!\?@coder" asks nobody: .*after the name, or on the next lines, each beginning with !\?/],
  ["[X29] a long line is cut", `!?@2 ${"🙂".repeat(99)}`, /^"!\?@2 (?:🙂){55}…" asks/u],
])("%s", (_rule, text, message) => {
  expect(parseTextAsks(text, place).problems).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
});

/** How many blocks each chunk completes. */
const told = (...chunks: string[]) => {
  const stream = new TextAskStream(place);
  return chunks.map((chunk) => stream.push(chunk)).map(({ asks, problems }) => asks.length + problems.length);
};

test.each([
  ["[X31] the line may continue", ["!?@coder go"], [0]],
  ["[X31] the block may continue", ["!?@coder go\n"], [0]],
  ["[X31] half of the mark may be completed", ["!?@coder go\n!"], [0]],
  ["[X31] the block continues", ["!?@coder go\n", "!", "?", "on"], [0, 0, 0, 0]],
  ["[X31] a letter", ["!?@coder go\n", "S", "o\n"], [0, 1, 0]],
  ["[X31] half of the mark and a letter", ["!?@coder go\n!", "!"], [0, 1]],
  ["[X31] a blank line", ["!?@coder go\n", "\n"], [0, 1]],
  ["[X31] half of a CRLF", ["!?@coder go\r", "\n", "\r", "\n"], [0, 0, 1, 0]],
  ["[X31] problems too", ["!?@2", "\n>"], [0, 1]],
  ["[X31] two at once", ["!?@coder a\n\n!?@coder b\n", " "], [1, 1]],
  ["[X31] nothing of plain blocks", ["!?what\n", "x"], [0, 0]],
  ["[X31] nothing in a fence", ["```\n!?@coder a\n", "x\n```\n"], [0, 0]],
])("%s", (_rule, chunks, counts) => expect(told(...chunks)).toEqual(counts));

test("[X31] reported findings are complete, and the end reports everything", () => {
  const stream = new TextAskStream(place);
  const go = { tool: "tellask", input: { targetAgentId: "coder", sessionSlug: "s", tellaskContent: "go\non" }, from: 0, to: 34 };
  const why = { tool: "askHuman", input: { tellaskContent: "why?" }, from: 36, to: 49 };
  expect(stream.push("!?@coder !tellaskSession s go\n!?on\n\n!?@human why?")).toEqual({ asks: [go], problems: [] });
  expect(stream.end()).toEqual({ asks: [go, why], problems: [] });
});

test("[X30] a long line in small chunks takes linear time", () => {
  const stream = new TextAskStream(place);
  stream.push("!?@coder\n!?");
  for (let at = 0; at < 300_000; at++) stream.push("word ");
  expect(stream.end().asks[0]?.input.tellaskContent).toHaveLength(5 * 300_000 - 1);
});
