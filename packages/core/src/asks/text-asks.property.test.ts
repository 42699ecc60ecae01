import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTextAsks, type TextAsks, TextAskStream } from "./text-asks.ts";

const place = { selfId: "lead", askerId: "boss" };

/** Meaningful pieces in any order: most texts made of them are odd. */
const piece = fc.constantFrom(
  ..."!? !?@ ! ? @ @coder !?@coder !?@human !?@self !?@tellasker !?@boss !tellaskSession s1 1 - _ , ： 。 请 🙂 \ud83d > ``` ```` ~~~ ` word".split(
    " ",
  ),
  ..." |   |    |\t|\r|\u2028|- |1. |!?@coder go| !tellaskSession s ".split("|"),
);
const lineEnd = fc.constantFrom("\n", "\n", "\n\n", "\r\n");
const soup = fc
  .array(fc.oneof({ weight: 3, arbitrary: piece }, { weight: 2, arbitrary: lineEnd }), { maxLength: 60 })
  .map((all) => all.join(""));

const everyText = (check: (text: string) => void) => fc.assert(fc.property(soup, check), { numRuns: 3000 });

test("[X30] wherever chunks are split, the stream gives the same result as the whole text, each finding once and in order", () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(200), { maxLength: 40 }), (text, cuts) => {
      const borders = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length];
      const stream = new TextAskStream(place);
      const told = borders.slice(1).map((to, nth) => stream.push(text.slice(borders[nth], to)));
      const all = stream.end();

      expect(all).toEqual(parseTextAsks(text, place));
      expectBeginningOf(
        all.asks,
        told.flatMap((one) => one.asks),
      );
      expectBeginningOf(
        all.problems,
        told.flatMap((one) => one.problems),
      );
    }),
    { numRuns: 3000 },
  );
});

const expectBeginningOf = (all: readonly unknown[], some: readonly unknown[]) => expect(some).toEqual(all.slice(0, some.length));

test("[X31] each finding is reported exactly with the character that shows its end", () => {
  everyText((text) => {
    const stream = new TextAskStream(place);
    for (let at = 0; at < text.length; at++) {
      for (const { to } of both(stream.push(text.charAt(at)))) {
        const next = text.slice(to, at + 1).replace(/^\r?\n/, "");
        expect(next).toMatch(/^(?:[^!]|!(?!\?).)$/s);
      }
    }
  });
});

const both = ({ asks, problems }: TextAsks) => [...asks, ...problems].toSorted((a, b) => a.from - b.from);

test("[X1] in any text, each finding is a whole block: marked lines with none before or after", () => {
  everyText((text) => {
    for (const { from, to } of both(parseTextAsks(text, place))) {
      for (const line of text.slice(from, to).split("\n")) expect(line).toMatch(/^!\?/);
      expect(text.slice(0, from)).toMatch(/^$|\n$/);
      expect(text.slice(0, from)).not.toMatch(/(?:^|\n)!\?[^\n]*\n$/);
      expect(text.slice(to)).toMatch(/^\r?(?:$|\n(?!!\?))/);
    }
  });
});

test("[X24] in any text, no ask is empty, and each slug and name is valid", () => {
  everyText((text) => {
    for (const { input } of parseTextAsks(text, place).asks) {
      expect(input.tellaskContent.trim()).not.toBe("");
      if ("targetAgentId" in input) expect(input.targetAgentId).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]*$/);
      if ("sessionSlug" in input) expect(input.sessionSlug).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]*$/);
      if ("headline" in input) expect(input.headline).toMatch(/^[^\n]*\S[^\n]*$/);
    }
  });
});

test("[X3] in any text, LF and CRLF ask the same", () => {
  const said = (text: string) => {
    const { asks, problems } = parseTextAsks(text, place);
    return [asks.map(({ tool, input }) => ({ tool, input })), problems.map(({ code, message }) => ({ code, message }))];
  };
  everyText((odd) => {
    const text = odd.replaceAll("\r", "");
    expect(said(text.replaceAll("\n", "\r\n"))).toEqual(said(text));
  });
});

/** Parts of a document with what they ask, assembled without any knowledge of the parser. */
const word = fc.constantFrom("fix", "it", "now", "请", "🙂", "a.b", "x@y", "!?");
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((all) => all.join(" "));
const body = fc.array(words, { maxLength: 3 });
const hidden = fc.constantFrom("!?@coder hidden", "!?@human hidden", "!?hidden", "hidden");
const quiet = fc.oneof(
  fc.constantFrom("Well.", "", "  ", "!", "> !?@coder hidden", " !?@coder hidden", "So !?@coder hidden", "`` ` ``", "```x```"),
  fc
    .tuple(fc.constantFrom("```", "~~~", "`````", "   ~~~~"), fc.array(hidden), fc.constantFrom("", "~", "``"))
    .map(([fence, lines, more]) => {
      const sign = fence.trim();
      const end = more === "" || sign.startsWith(more.charAt(0)) ? sign + more : sign;
      return [`${fence}js`, ...lines, sign.slice(1), sign.startsWith("~") ? "```" : "~~~~~~", `${sign} no`, `    ${sign}`, end].join("\n");
    }),
);
const loud = fc
  .tuple(fc.constantFrom("coder", "boss", "self", "human", "tellasker"), fc.constantFrom("", "s", "fix-1"), words, body)
  .map(([name, slug, head, rest]) => {
    const sessionSlug = name === "human" || name === "tellasker" ? "" : slug;
    const text = [`!?@${name} ${sessionSlug && `!tellaskSession ${sessionSlug} `}${head}`, ...rest.map((line) => `!?${line}`)].join("\n");
    return { text, name, sessionSlug, head, rest };
  });

function meant({ name, sessionSlug, head, rest }: typeof loud extends fc.Arbitrary<infer T> ? T : never) {
  const tellaskContent = [head, ...rest].join("\n");
  const targetAgentId = name === "self" ? "lead" : name;
  if (sessionSlug) return { tool: "tellask", input: { targetAgentId, sessionSlug, tellaskContent } };
  if (name === "coder") return { tool: "tellaskSessionless", input: { targetAgentId, tellaskContent } };
  if (name === "self") return { tool: "freshBootsReasoning", input: { tellaskContent } };
  if (name !== "human") return { tool: "tellaskBack", input: { tellaskContent } };
  return { tool: "askHuman", input: rest.length > 0 ? { headline: head, tellaskContent: rest.join("\n") } : { tellaskContent } };
}

test("[X4] whatever surrounds them, exactly the intended asks are found, with their positions", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.array(quiet, { minLength: 1, maxLength: 3 }), loud), { maxLength: 6 }), (parts) => {
      const text = parts.flatMap(([around, ask]) => [...around, ask.text]).join("\n");
      const { asks, problems } = parseTextAsks(text, place);
      expect(problems).toEqual([]);
      expect(asks.map(({ tool, input }) => ({ tool, input }))).toEqual(parts.map(([, ask]) => meant(ask)));
      expect(asks.map(({ from, to }) => text.slice(from, to))).toEqual(parts.map(([, ask]) => ask.text));
    }),
    { numRuns: 1000 },
  );
});
