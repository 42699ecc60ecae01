import type { Key as InkKey } from "ink";
import type { Key } from "./press.ts";

/**
 * Several characters at once are fast typing, or a paste in a terminal that doesn't mark pastes: text for a composer, where a trailing
 * break sends it. Otherwise they only move, and never answer.
 */
export function keysOf(input: string, key: InkKey, isWriting: boolean): readonly Key[] {
  const one = keyOf(input, key);
  if (one.name !== undefined || one.hasModifier || [...input].length <= 1) return [one];
  if (!isWriting) return /^[jk]+$/.test(input) ? [...input].map((text) => ({ text })) : [];
  const text = input.replace(/(?<![\r\n])[\r\n]+$/, "");
  return [{ text }, ...(text === input ? [] : [{ text: "", name: "enter" as const }])];
}

function keyOf(input: string, key: InkKey): Key {
  const names: readonly (readonly [boolean, Key["name"]])[] = [
    [key.upArrow, "up"],
    [key.downArrow, "down"],
    [key.return, "enter"],
    [key.escape, "escape"],
    [key.backspace || key.delete, "backspace"],
    [key.tab, "tab"],
    [key.pageUp, "pageup"],
    [key.pageDown, "pagedown"],
  ];
  const name = names.find(([isIt]) => isIt)?.[1];
  return {
    text: name === undefined ? input : "",
    ...(name !== undefined && { name }),
    hasModifier: key.ctrl || (key.meta && name !== "escape"),
  };
}
