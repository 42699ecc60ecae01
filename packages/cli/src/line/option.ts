/** An option of a command. `takes` names its value in help; without it the option is a switch. */
export interface Option {
  readonly about: string;
  readonly takes?: string;
  /** May be given several times; its value is the list. */
  readonly repeats?: true;
  readonly short?: string;
  /** Of a part that this version does not have: refused as such, so that nobody relies on it in vain. */
  readonly notBuiltYet?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** What was given for an option. */
export type OptionValue = string | boolean | readonly string[];

export type Values<Table extends Options> = string extends keyof Table
  ? Readonly<Record<string, OptionValue>>
  : { readonly [Name in keyof Table]?: ValueOf<Table[Name]> };

type ValueOf<One extends Option> = One extends { readonly repeats: true }
  ? readonly string[]
  : One extends { readonly takes: string }
    ? string
    : boolean;

/** Options that every command takes, before or behind its name. */
export const globalOptions = {
  dir: { short: "C", takes: "DIR", about: "the project's folder, or one inside it (default: here)" },
  json: { about: "one JSON value on standard output; with --follow one on each line" },
  server: { takes: "URL", about: "talk to this server (or COLLOQUY_SERVER; default: the one that works on the project)" },
  token: { takes: "TOKEN", about: "the server's token (or COLLOQUY_TOKEN)" },
  project: { takes: "ID", about: "which project, where the server has several (or COLLOQUY_PROJECT)" },
  help: { short: "h", about: "what a command does" },
  version: { short: "v", about: "the version" },
} as const satisfies Options;

/** `-C DIR`, `--agent ID`, `--wait`: as help and messages write it. */
export function optionText(name: string, { takes, short }: Option): string {
  const flag = name === "dir" && short ? `-${short}` : `--${name}`;
  return takes === undefined ? flag : `${flag} ${takes}`;
}
