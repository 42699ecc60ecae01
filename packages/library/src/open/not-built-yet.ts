import { NOT_BUILT_YET } from "@colloquy/schema";

/** A valid key of a part that this version lacks. */
export function notBuiltYet(path: readonly (string | number)[]): string | undefined {
  const [top, second, third] = path;
  const keys: Readonly<Record<string, readonly string[]>> = NOT_BUILT_YET;
  const [kind, key] = path.length === 1 ? ["top", top] : top === "limits" ? ["limits", second] : top === "agents" ? ["agent", third] : [];
  const isKnown = typeof key === "string" && keys[String(kind)]?.includes(key);
  return isKnown ? `"${key}" is not built yet in this version.` : undefined;
}
