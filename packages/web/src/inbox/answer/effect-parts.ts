/** What a command did: a heading, a line for each file, and the differences as text. */
export interface EffectParts {
  readonly heading: string;
  readonly list: string;
  readonly diffs: readonly { readonly title: string; readonly text: string }[];
}

/** `text`: the server's text after the command; empty if the command has not run. */
export function effectParts(text: string): EffectParts | undefined {
  const [head = "", ...diffs] = text.trim().split(/\n\n(?=--- )/);
  const [heading = "", ...list] = head.split("\n");
  if (heading === "") return undefined;
  return { heading, list: list.join("\n"), diffs: diffs.map(diffOf) };
}

function diffOf(text: string): EffectParts["diffs"][number] {
  const lines = text.split("\n");
  const names = lines.slice(0, 2).map((line) => line.slice(4));
  return { title: names.find((name) => name !== "/dev/null") ?? "", text: lines.slice(2).join("\n") };
}
