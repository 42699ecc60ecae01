import type { Said } from "./language.ts";

/** An option of a command. `takes` names its value in help; without it the option is a switch. */
export interface Option {
  readonly about: Said;
  readonly takes?: string;
  /** May be given several times; its value is the list. */
  readonly repeats?: true;
  readonly short?: string;
  /** Of a part that this version lacks: refused as such, so that nobody relies on it. */
  readonly notBuiltYet?: true;
}

export type Options = Readonly<Record<string, Option>>;

/** An option's value. */
export type OptionValue = string | boolean | readonly string[];

export type Values<Table extends Options> = string extends keyof Table
  ? Readonly<Record<string, OptionValue>>
  : { readonly [Name in keyof Table]?: ValueOf<Table[Name]> };

type ValueOf<One extends Option> = One extends { readonly repeats: true }
  ? readonly string[]
  : One extends { readonly takes: string }
    ? string
    : boolean;

/** Options that every command takes, before or after its name. */
export const globalOptions = {
  dir: {
    short: "C",
    takes: "DIR",
    about: { en: "the project's folder, or one inside it (default: here)", zh: "项目的文件夹，或其中的某个文件夹（默认：当前位置）" },
  },
  store: {
    takes: "URL",
    about: {
      en: "where the project's log is kept: postgres://…?project=NAME (or COLLOQUY_STORE; default: its folder)",
      zh: "项目日志的位置：postgres://…?project=NAME（或 COLLOQUY_STORE；默认：项目的文件夹）",
    },
  },
  json: {
    about: {
      en: "one JSON value on standard output; with --follow one on each line",
      zh: "在标准输出上给出一个 JSON 值；加 --follow 则每行一个",
    },
  },
  server: {
    takes: "URL",
    about: {
      en: "talk to this server (or COLLOQUY_SERVER; default: the one that works on the project)",
      zh: "使用此服务器（或 COLLOQUY_SERVER；默认：正在为本项目工作的服务器）",
    },
  },
  token: { takes: "TOKEN", about: { en: "the server's token (or COLLOQUY_TOKEN)", zh: "服务器的令牌（或 COLLOQUY_TOKEN）" } },
  project: {
    takes: "ID",
    about: {
      en: "which project, where the server has several (or COLLOQUY_PROJECT)",
      zh: "服务器有多个项目时，用哪一个（或 COLLOQUY_PROJECT）",
    },
  },
  help: { short: "h", about: { en: "what a command does", zh: "说明一个命令的用法" } },
  version: { short: "v", about: { en: "the version", zh: "版本" } },
} as const satisfies Options;

/** `-C DIR`, `--agent ID`, `--wait`: as help and messages show it. */
export function optionText(name: string, { takes, short }: Option): string {
  const flag = name === "dir" && short ? `-${short}` : `--${name}`;
  return takes === undefined ? flag : `${flag} ${takes}`;
}
