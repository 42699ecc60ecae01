import { commandsIn, newScope, outputOf, type Scope, type ShellCommand, type Word } from "./shell-script.ts";

/** A program as it is run in the end, whatever stands before it. */
export interface Program {
  /** Without its folder. */
  readonly name: string;
  readonly args: readonly string[];
  /** Which of the arguments are known beforehand. */
  readonly isKnown: boolean;
  readonly writes: readonly string[];
  readonly folder: string;
}

/** All that a script runs. `hidden`: something of it is not known before it runs, in its own words. */
export interface Programs {
  readonly programs: readonly Program[];
  readonly hidden: readonly string[];
}

const DEEPEST = 8;

export function programsIn(script: string, scope: Scope = newScope(), depth = 0): Programs {
  const programs: Program[] = [];
  const hidden: string[] = [];
  const add = (more: Programs) => {
    programs.push(...more.programs);
    hidden.push(...more.hidden);
  };
  if (depth > DEEPEST) return { programs, hidden: [script] };
  for (const command of commandsIn(script, scope)) add(unwrap(command, command.words, scope, depth));
  return { programs, hidden };
}

/** How many of a wrapper's options take a value, and how many words stand between the options and the command. */
interface Wrapper {
  readonly valued: readonly string[];
  readonly skips?: number;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: { valued: ["-u", "-g", "-p", "-C", "-h", "-U", "-r", "-t", "-D", "-T", "--user", "--group"] },
  doas: { valued: ["-u", "-C"] },
  env: { valued: ["-u", "-C", "--unset", "--chdir"] },
  nohup: { valued: [] },
  setsid: { valued: [] },
  command: { valued: [] },
  builtin: { valued: [] },
  exec: { valued: ["-a"] },
  time: { valued: ["-f", "-o"] },
  nice: { valued: ["-n"] },
  ionice: { valued: ["-c", "-n", "-p"] },
  stdbuf: { valued: ["-i", "-o", "-e"] },
  timeout: { valued: ["-s", "-k", "--signal", "--kill-after"], skips: 1 },
  gtimeout: { valued: ["-s", "-k"], skips: 1 },
  chrt: { valued: [], skips: 1 },
  taskset: { valued: [], skips: 1 },
  unbuffer: { valued: [] },
  xargs: { valued: ["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s", "--max-args", "--max-procs", "--arg-file", "--replace"] },
  parallel: { valued: ["-j", "-a", "-n", "--jobs"] },
  strace: { valued: ["-o", "-e", "-p"] },
  ltrace: { valued: ["-o", "-e", "-p"] },
  chroot: { valued: [], skips: 1 },
  unshare: { valued: ["-R", "-w"] },
  nsenter: { valued: ["-t"] },
  fakeroot: { valued: [] },
  "xvfb-run": { valued: ["-s", "-n"] },
  "dbus-run-session": { valued: [] },
  "cross-env": { valued: [] },
  dotenv: { valued: ["-e", "-f"] },
  busybox: { valued: [] },
  toybox: { valued: [] },
  corepack: { valued: [] },
  npx: { valued: ["-p", "--package", "-w", "--workspace"] },
  bunx: { valued: [] },
  pnpx: { valued: [] },
  uvx: { valued: ["--from", "--with", "-p", "--python"] },
  watch: { valued: ["-n", "-d"] },
  ssh: { valued: ["-i", "-p", "-l", "-o", "-F", "-L", "-R", "-D", "-J"], skips: 1 },
  entr: { valued: [] },
};

/** `tool verb command …` runs the command. */
const RUNS: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x"],
  pnpm: ["exec", "dlx"],
  yarn: ["exec", "dlx"],
  bun: ["x"],
  poetry: ["run"],
  pipenv: ["run"],
  pdm: ["run"],
  rye: ["run"],
  hatch: ["run"],
  uv: ["run"],
  pipx: ["run"],
  bundle: ["exec"],
  direnv: ["exec"],
  mise: ["exec", "x"],
  asdf: ["exec"],
  rbenv: ["exec"],
  pyenv: ["exec"],
  volta: ["run"],
  fnm: ["exec"],
  conda: ["run"],
  mamba: ["run"],
  docker: ["exec", "run"],
  podman: ["exec", "run"],
};

const SHELLS = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "rbash", "mksh"]);
const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-c$/,
  node: /^(?:-e|--eval|-p|--print|-pe)$/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval)$/,
  perl: /^-[a-zA-Z]*[eE]$/,
  ruby: /^-[a-zA-Z]*e$/,
  php: /^-r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
};

function unwrap(command: ShellCommand, words: readonly Word[], scope: Scope, depth: number): Programs {
  const [first, ...rest] = words;
  const writes = command.writes.map((word) => word.text);
  if (!first)
    return { programs: writes.length > 0 ? [{ name: "", args: [], isKnown: true, writes, folder: command.folder }] : [], hidden: [] };
  if (depth > DEEPEST) return { programs: [], hidden: [textOf(words)] };
  const name = baseName(first.text);
  const again = (inner: readonly Word[]) => unwrap(command, inner, scope, depth + 1);
  const script = (text: string) => programsIn(text, { ...scope, folder: command.folder }, depth + 1);
  const own: Program = {
    name,
    args: rest.map((word) => word.text),
    isKnown: rest.every((word) => word.isKnown),
    writes,
    folder: command.folder,
  };
  const withOwn = (...more: readonly Programs[]): Programs => ({
    programs: [own, ...more.flatMap((one) => one.programs)],
    hidden: [...(first.isKnown ? [] : [textOf(words)]), ...more.flatMap((one) => one.hidden)],
  });

  if (SHELLS.has(name)) return withOwn(shell(command, rest, script));
  if (name === "eval") {
    const said = rest.map((word) => word.text).join(" ");
    return withOwn(
      script(said),
      hiddenIf(
        rest.some((word) => !word.isKnown),
        words,
      ),
    );
  }
  if (name === "source" || name === ".") return withOwn(hiddenIf(rest[0]?.isKnown === false, words));
  if (["su", "runuser", "script", "flock", "nix-shell", "nix"].includes(name)) return withOwn(...givenScripts(rest, script, again));
  const split = name === "env" ? splitString(rest) : undefined;
  if (split) return withOwn(script(split));
  const wrapper = WRAPPERS[name];
  if (wrapper) {
    const inner = behindOptions(rest, wrapper);
    // One quoted word is a whole command for these.
    const isScript = inner.length === 1 && /\s/.test(inner[0]?.text ?? "");
    return withOwn(isScript ? script(inner[0]?.text ?? "") : again(inner));
  }
  const verbs = RUNS[name];
  const verbAt = rest.findIndex((word) => !word.text.startsWith("-"));
  // Several are tried here: nested, that would multiply.
  const oneOf = (inner: readonly Word[]) => unwrap(command, inner, scope, depth + 3);
  if (verbs?.includes(rest[verbAt]?.text ?? "")) return withOwn(...runAny(rest.slice(verbAt + 1), oneOf));
  if (name === "find" || name === "fd") return withOwn(...executedBy(rest, again));
  const flag = INTERPRETERS[name.replace(/[\d.]+$/, "")];
  const codeAt = flag ? rest.findIndex((word) => flag.test(word.text)) : -1;
  if (codeAt >= 0) return withOwn(...commandsInCode(rest[codeAt + 1]?.text ?? "", oneOf));
  if (["awk", "gawk", "mawk"].includes(name)) return withOwn(...commandsInCode(rest.map((word) => word.text).join(" "), oneOf));
  return withOwn();
}

const textOf = (words: readonly Word[]): string =>
  words
    .map((word) => word.text)
    .join(" ")
    .trim();

const hiddenIf = (isHidden: boolean, words: readonly Word[]): Programs => ({ programs: [], hidden: isHidden ? [textOf(words)] : [] });

export const baseName = (path: string): string =>
  path
    .replace(/\/+$/, "")
    .split("/")
    .at(-1)
    ?.replace(/\.(?:exe|cmd|bat|ps1)$/i, "") ?? path;

/** `-c script`, a script on its standard input, or a file, which is the project's own. */
function shell(command: ShellCommand, rest: readonly Word[], script: (text: string) => Programs): Programs {
  const at = rest.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word.text));
  const given = rest[at + 1];
  if (at >= 0 && given) {
    const inner = script(given.text);
    return { programs: inner.programs, hidden: [...inner.hidden, ...(given.isKnown ? [] : [`sh -c ${given.text}`])] };
  }
  const file = rest.find((word) => !word.text.startsWith("-"));
  if (file) return { programs: [], hidden: file.isKnown ? [] : [textOf(rest)] };
  if (command.feed) return script(command.feed.text);
  if (!command.pipedFrom) return { programs: [], hidden: [] };
  const said = outputOf(command.pipedFrom);
  return said?.isKnown ? script(said.text) : { programs: [], hidden: [`${textOf(command.pipedFrom.words)} | sh`] };
}

/** `-c "…"` or `--run "…"` somewhere among the arguments, or a command behind them. */
function givenScripts(
  rest: readonly Word[],
  script: (text: string) => Programs,
  again: (words: readonly Word[]) => Programs,
): readonly Programs[] {
  return rest.flatMap((word, at): Programs[] => {
    if (!/^(?:-c|--command|--run|-[a-z]*c)$/.test(word.text)) return [];
    const given = rest[at + 1];
    if (!given) return [];
    return [/\s/.test(given.text) ? script(given.text) : again(rest.slice(at + 1))];
  });
}

function splitString(rest: readonly Word[]): string | undefined {
  const at = rest.findIndex((word) => /^(?:-S|--split-string)/.test(word.text));
  if (at < 0) return undefined;
  const own = (rest[at]?.text ?? "").replace(/^(?:-S|--split-string=?)/, "");
  return [own, ...rest.slice(at + 1).map((word) => word.text)].join(" ").trim();
}

function behindOptions(rest: readonly Word[], { valued, skips = 0 }: Wrapper): readonly Word[] {
  let at = 0;
  for (; at < rest.length; at += 1) {
    const { text } = rest[at] ?? { text: "" };
    if (text === "--") {
      at += 1;
      break;
    }
    if (valued.includes(text)) at += 1;
    else if (!text.startsWith("-") && !/^[A-Za-z_][A-Za-z0-9_]*=/.test(text)) break;
  }
  return rest.slice(at + skips);
}

/** Which word begins the command is not clear: options, names of images and environments stand before it. Each is tried. */
const runAny = (rest: readonly Word[], again: (words: readonly Word[]) => Programs): readonly Programs[] =>
  rest.flatMap((word, at) => (word.text.startsWith("-") || at > 6 ? [] : [again(rest.slice(at))]));

function executedBy(rest: readonly Word[], again: (words: readonly Word[]) => Programs): readonly Programs[] {
  return rest.flatMap((word, at): Programs[] => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word.text)) return [];
    const inner = rest.slice(at + 1);
    const end = inner.findIndex((one) => one.text === ";" || one.text === "+");
    return [again(end < 0 ? inner : inner.slice(0, end))];
  });
}

/** Code in another language: whatever its strings would run, in one piece or as a list of words. */
function commandsInCode(code: string, again: (words: readonly Word[]) => Programs): readonly Programs[] {
  const words = code
    .replace(/["'`,;()[\]{}<>|&]+/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, 400);
  return words.map((_, at) => again(words.slice(at, at + 12).map((text) => ({ text, isKnown: true }))));
}
