import { expect, test } from "vitest";
import { withVisibleControls } from "./visible-controls.ts";

test.each([
  ["rm -rf \u202Egnp.\u202C", "rm -rf ⟨U+202E⟩gnp.⟨U+202C⟩"],
  ["\u2066a\u2069\u200E\u200F\u061C", "⟨U+2066⟩a⟨U+2069⟩⟨U+200E⟩⟨U+200F⟩⟨U+061C⟩"],
  ["echo safe\u001B[2K\rrm x", "echo safe␛[2K␍rm x"],
  ["a\u0000\u0007\u0008\u007F\u009B1m", "a␀␇␈␡⟨U+009B⟩1m"],
  ["a\uFFF9b\uFFFAc\uFFFB", "a⟨U+FFF9⟩b⟨U+FFFA⟩c⟨U+FFFB⟩"],
  ["pay\u200Bpal\uFEFF\u2060\u00AD", "pay⟨U+200B⟩pal⟨U+FEFF⟩⟨U+2060⟩⟨U+00AD⟩"],
  ["x\u{E0041}\u3164\u115F\uFFA0\u034F", "x⟨U+E0041⟩⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩⟨U+034F⟩"],
  ["a\u2028b\u2029c\uD800", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+D800⟩"],
  ["a\u200Db\u200Cc\uFE0F", "a⟨U+200D⟩b⟨U+200C⟩c⟨U+FE0F⟩"],
])("[U60] what cannot be seen gets a mark: %j", (text, marked) => {
  expect(withVisibleControls(text)).toBe(marked);
  expect(withVisibleControls(marked)).toBe(marked);
});

test.each([
  "Which database?\n\tPostgreSQL",
  "שלום עולם, 3 קבצים",
  "مرحبا بالعالم",
  "می‌خواهم کتاب‌ها را ببینم",
  "क्‍ष",
  "订单：两只茶碗　（已退）",
  "👨‍👩‍👧 ❤️ 🏳️‍🌈 👩🏽‍💻 1️⃣",
  "naïve café — “quoted”",
])("[U60] letters and pictures of every script stay as they are: %j", (text) => expect(withVisibleControls(text)).toBe(text));
