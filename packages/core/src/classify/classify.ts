import type { ActClass } from "@colloquy/schema";
import { dependencyChange } from "./dependencies.ts";
import { destruction } from "./destruction.ts";
import type { Effort } from "./effort.ts";
import { isManifest } from "./manifests.ts";
import { fitsGlob, pathsMeant, patternsMeant, type ProjectPlace } from "./path.ts";
import { newScope } from "./shell-script.ts";
import { beginning, type Program, programsIn } from "./unwrap.ts";

/** A class that applies to a call, and the part of the call it applies to. */
export interface Finding {
  readonly class: ActClass;
  readonly part: string;
}

/** Files whose change is an architecture decision, and the project's location. */
export interface ClassifyRules extends ProjectPlace {
  readonly architecture: readonly string[];
}

/** A call's classes, by what it would do. Code decides this, whatever the model says about the call. */
export function classifyCall(tool: string, input: unknown, rules: ClassifyRules): readonly Finding[] {
  const given = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
  switch (tool) {
    case "change_mind":
      return given.selector === "progress" ? [] : [{ class: "scopeChanges", part: String(text(given.selector) ?? "goals") }];
    case "create_task":
    case "update_task":
      return [{ class: "scopeChanges", part: text(given.title) ?? tool }];
    case "create_plan":
      return [{ class: "scopeChanges", part: tool }];
    case "update_prd":
      return [{ class: "scopeChanges", part: `prd/${text(given.sectionKey) ?? ""}.md` }];
    case "record_decision":
      return [{ class: "architectureDecisions", part: text(given.title) ?? tool }];
    case "write_file":
    case "edit_file":
      return classifyPath(text(given.path) ?? "", ".", withRealPatterns(rules));
    case "run_command":
      return classifyCommand(text(given.command) ?? "", text(given.cwd) ?? ".", rules);
    default:
      return [];
  }
}

export function classifyCommand(command: string, folder: string, rules: ClassifyRules): readonly Finding[] {
  return readCommand(command, folder, rules).findings;
}

/** A command's classes, and the number of steps it took to find them: never more than `MAX_STEPS`. */
export function readCommand(
  command: string,
  folder: string,
  rules: ClassifyRules,
): { readonly findings: readonly Finding[]; readonly steps: number } {
  const scope = newScope(folder);
  const { programs, hidden } = programsIn(command, scope);
  const meant = withRealPatterns(rules);
  const found = programs.flatMap((program) => classifyProgram(program, meant, scope.effort));
  const unseen = hidden.map((part): Finding => ({ class: "destructive", part: part || command }));
  // Paths beyond the budget are not judged.
  if (scope.effort.isExceeded && unseen.length === 0) unseen.push({ class: "destructive", part: beginning(command) });
  return { findings: unique([...found, ...unseen]), steps: scope.effort.spent };
}

function classifyProgram(program: Program, rules: ClassifyRules, effort: Effort): readonly Finding[] {
  const dependency = dependencyChange(program);
  const destroyed = destruction(program);
  return [
    ...(dependency === undefined ? [] : [{ class: "dependencyModifications", part: dependency } as const]),
    ...(destroyed === undefined ? [] : [{ class: "destructive", part: destroyed } as const]),
    ...writtenBy(program).flatMap((path) => (effort.payForPath(path + program.folder) ? classifyPath(path, program.folder, rules) : [])),
  ];
}

/** Once per call: it asks the disk. */
export const withRealPatterns = <Rules extends ClassifyRules>(rules: Rules): Rules => ({
  ...rules,
  architecture: rules.architecture.flatMap((pattern) => patternsMeant(pattern, rules)),
});

function classifyPath(path: string, folder: string, rules: ClassifyRules): readonly Finding[] {
  return pathsMeant(path, folder, rules).flatMap((plain) => [
    ...(isManifest(plain) ? [{ class: "dependencyModifications", part: plain } as const] : []),
    ...(rules.architecture.some((pattern) => fitsGlob(pattern, plain)) ? [{ class: "architectureDecisions", part: plain } as const] : []),
  ]);
}

/** The files that a program changes, as far as its arguments show. */
function writtenBy({ name, args, writes, feed = "" }: Program): readonly string[] {
  const files = args.filter((arg) => !arg.startsWith("-"));
  const valueOf = (...options: readonly string[]) =>
    args.flatMap((arg, at) =>
      options.includes(arg)
        ? [args[at + 1] ?? ""]
        : options.flatMap((one) => (arg.startsWith(`${one}=`) ? [arg.slice(one.length + 1)] : [])),
    );
  const last = files.at(-1) ?? "";
  const into = () => [last, ...files.slice(0, -1).map((file) => `${last}/${file.split("/").at(-1)}`)];
  const own = ((): readonly string[] => {
    switch (name) {
      case "tee":
      case "sponge":
      case "touch":
      case "truncate":
      case "rm":
      case "unlink":
      case "shred":
      case "ex":
      case "ed":
      case "vi":
      case "vim":
      case "nvim":
      case "emacs":
      case "nano":
        return files;
      case "tar":
      case "bsdtar":
        return /^-?[a-zA-Z]*x|^--extract$|^--get$/.test(args.find((arg) => !/^-C$|^--(?!extract|get)/.test(arg)) ?? "") ? files : [];
      case "unzip":
      case "7z":
        return files.slice(1);
      case "mv":
        return [...files, ...into()];
      case "cp":
      case "install":
      case "ln":
      case "rsync":
      case "scp":
        return [...into(), ...valueOf("-t", "--target-directory")];
      case "sed":
      case "gsed":
      case "perl":
      case "ruby":
        return args.some((arg) => /^-[a-zA-Z]*i/.test(arg) || arg.startsWith("--in-place")) ? files : [];
      case "yq":
      case "dasel":
        return args.some((arg) => /^-[a-z]*i/.test(arg) || arg === "--inplace") ? files : [];
      case "dd":
        return args.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : []));
      case "awk":
      case "gawk":
        return args.some((arg, at) => /^-i(?:nplace)?$|^--include$/.test(arg) && (arg === "-iinplace" || args[at + 1] === "inplace"))
          ? files
          : [];
      case "curl":
        return [
          ...valueOf("-o", "--output"),
          ...args.flatMap((arg) => (/^-o./.test(arg) ? [arg.slice(2)] : [])),
          ...(args.some((arg) => /^-[a-zA-Z]*O|^--remote-name/.test(arg)) ? files.map(nameInAddress) : []),
        ];
      case "wget":
        return [...valueOf("-O", "--output-document"), ...files.map(nameInAddress)];
      case "git":
        if (files[0] === "apply" || files[0] === "am") return patched(feed);
        return files[0] === "checkout" || files[0] === "restore" || files[0] === "rm" || files[0] === "mv" ? files.slice(1) : [];
      case "patch":
        return [...files.slice(0, 1), ...patched(feed)];
      default:
        return [];
    }
  })();
  return [...writes, ...own].filter((path) => path !== "" && !path.startsWith("/dev/"));
}

/** The file name at the end of an address. */
const nameInAddress = (address: string): string =>
  address
    .replace(/[?#][\s\S]*$/, "")
    .split("/")
    .at(-1) ?? "";

/** The files that a patch changes. */
const patched = (patch: string): readonly string[] =>
  [...patch.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?(\S+)/gm)].flatMap(([, path]) =>
    path === undefined || path === "/dev/null" ? [] : [path],
  );

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const unique = (findings: readonly Finding[]): readonly Finding[] => [
  ...new Map(findings.map((one) => [`${one.class} ${one.part}`, one])).values(),
];
