import { describe, expect, test } from "vitest";
import { checkedText, withByteRestored, withChecksum } from "./checksum.ts";

const json = '{"v":1,"pos":7,"seq":3,"at":"2026-11-18T05:00:00.000Z","events":[{"type":"message.added","content":"Grüße, 你好 \\"x\\""}]}';
const line = withChecksum(json.slice(0, -1));

describe("[L79] a line ends with a checksum of everything before it", () => {
  test("the checksum is the last field, and the rest is unchanged", () => {
    expect(line).toMatch(/\],"crc":"[0-9a-f]{8}"\}\n$/);
    expect(checkedText(line.trimEnd())).toBe(json);
    const { crc: _, ...rest } = JSON.parse(line) as { readonly crc: string };
    expect(rest).toEqual(JSON.parse(json));
  });
  test("a line without a checksum is read unchanged", () => {
    expect(checkedText(json)).toBe(json);
    expect(checkedText("{}")).toBe("{}");
    expect(checkedText("")).toBe("");
  });
  test("any single changed byte is found and corrected", () => {
    const bytes = Buffer.from(line);
    for (let at = 0; at < bytes.length - 1; at += 1) {
      for (const change of [1, 0x20, 0x80, 0xff]) {
        const bad = Buffer.from(bytes);
        bad[at] = (bytes[at] ?? 0) ^ change;
        if (bad[at] === 10) continue;
        const text = checkedText(bad.toString().trimEnd());
        // In the field's own name a change leaves a line without a checksum, whose content is right.
        if (text !== undefined && at < bytes.length - 19) expect.fail(`byte ${at} was not missed`);
        expect(withByteRestored(bad)?.equals(bytes), `byte ${at}`).toBe(true);
      }
    }
  });
  test("two changed bytes are detected, and nothing is guessed", () => {
    const bad = line.replace("pos", "pxs").replace("seq", "sxq");
    expect(checkedText(bad.trimEnd())).toBeUndefined();
    expect(withByteRestored(Buffer.from(bad))).toBeUndefined();
    expect(withByteRestored(Buffer.from(line))).toBeUndefined();
    expect(withByteRestored(Buffer.from(`${json}\n`))).toBeUndefined();
  });
  test("a line of a megabyte is corrected in one pass", () => {
    const long = Buffer.from(withChecksum(`{"v":1,"pos":1,"seq":1,"events":["${"x".repeat(1_000_000)}"]`));
    const bad = Buffer.from(long);
    bad[500_000] = 121;
    expect(withByteRestored(bad)?.equals(long)).toBe(true);
  });
});
