import type { Language, Said } from "./language.ts";
import type { Options } from "./option.ts";

/** A command's data for shell completion. */
export interface Completed {
  readonly name: string;
  readonly summary: Said;
  readonly options: Options;
}

const flagsOf = (options: Options): readonly string[] =>
  Object.entries(options).flatMap(([name, { short, notBuiltYet }]) => (notBuiltYet ? [] : [...(short ? [`-${short}`] : []), `--${name}`]));

/** Two names of one program. */
const PROGRAMS = ["colloquy", "cq"];

export function bashScript(commands: readonly Completed[], common: Options): string {
  const cases = commands.map(({ name, options }) => `    ${name}) options="${flagsOf(options).join(" ")}" ;;`);
  return `# colloquy for bash. In ~/.bashrc: source <(colloquy completion bash)
_colloquy() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="" options="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      -C) ((at++)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  if [[ "\${COMP_WORDS[COMP_CWORD - 1]}" == "-C" ]]; then
    COMPREPLY=($(compgen -d -- "$word"))
    return
  fi
  case "$command" in
${cases.join("\n")}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options ${flagsOf(common).join(" ")}" -- "$word"))
  elif [[ -z "$command" ]]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$word"))
  fi
}
complete -o default -F _colloquy ${PROGRAMS.join(" ")}
`;
}

export function zshScript(commands: readonly Completed[], common: Options, language: Language): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
  const rows = commands.map(({ name, summary }) => `    '${name}:${quoted(summary[language])}'`);
  const cases = commands.map(({ name, options }) => `      ${name}) flags=(${flagsOf(options).join(" ")}) ;;`);
  return `#compdef ${PROGRAMS.join(" ")}
# colloquy for zsh. In ~/.zshrc, after compinit: source <(colloquy completion zsh)
_colloquy() {
  local -a commands flags
  local command="" at
  commands=(
${rows.join("\n")}
  )
  for ((at = 2; at < CURRENT; at++)); do
    case "\${words[at]}" in
      -C) ((at++)) ;;
      -*) ;;
      *) command="\${words[at]}"; break ;;
    esac
  done
  if [[ "\${words[CURRENT - 1]}" == "-C" ]]; then
    _directories
  elif [[ "\${words[CURRENT]}" == -* ]]; then
    case "$command" in
${cases.join("\n")}
    esac
    compadd -- $flags ${flagsOf(common).join(" ")}
  elif [[ -z "$command" ]]; then
    _describe 'command' commands
  else
    _files
  fi
}
compdef _colloquy ${PROGRAMS.join(" ")}
`;
}

export function fishScript(commands: readonly Completed[], common: Options, language: Language): string {
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const optionLine = (program: string, condition: string, name: string, { short, takes, about }: Options[string] & object) =>
    `complete -c ${program}${condition} -l ${name}${short ? ` -s ${short}` : ""}${takes === undefined ? "" : " -r"} -d ${quoted(about[language])}`;
  const built = (options: Options) => Object.entries(options).filter(([, option]) => !option.notBuiltYet);
  const lines = PROGRAMS.flatMap((program) => [
    `complete -c ${program} -f`,
    ...built(common).map(([name, option]) => optionLine(program, "", name, option)),
    ...commands.flatMap(({ name, summary, options }) => [
      `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary[language])}`,
      ...built(options).map(([option, about]) => optionLine(program, ` -n '__fish_seen_subcommand_from ${name}'`, option, about)),
    ]),
  ]);
  return `# colloquy for fish: colloquy completion fish > ~/.config/fish/completions/colloquy.fish\n${lines.join("\n")}\n`;
}
