import type { Program } from "./unwrap.ts";

/** More files than this at once are many. */
const MANY = 8;

/** Does it destroy what cannot be brought back? The words that do, if so. */
export function destruction(program: Program): string | undefined {
  const { name, args } = program;
  const isDestructive = RULES[name]?.(args, program) ?? /^mkfs(?:\.|$)/.test(name);
  return isDestructive ? [name, ...args].join(" ").trim() : undefined;
}

/** A short option alone or among others (-rf), or a long one, also shortened as some programs allow. */
const has = (args: readonly string[], short: string, ...long: readonly string[]): boolean =>
  args.some(
    (arg) =>
      (short !== "" && new RegExp(`^-[a-zA-Z0-9]*[${short}]`).test(arg) && !arg.startsWith("--")) ||
      long.some((one) => arg === one || arg.startsWith(`${one}=`)),
  );

const filesIn = (args: readonly string[]): readonly string[] => args.filter((arg) => !arg.startsWith("-"));
const areMany = (files: readonly string[]): boolean =>
  files.length > MANY || files.some((file) => /[*?[]/.test(file)) || files.some((file) => /^(?:\.|\.\/|\/|~|\.\.|\{\})$/.test(file));

const always = (): boolean => true;
const removes = (args: readonly string[]): boolean =>
  has(args, "rR", "--recursive") ||
  args.some((arg) => "--recursive".startsWith(arg) && arg.length > 3) ||
  areMany(filesIn(args)) ||
  filesIn(args).length === 0;
const rewritesMany = (args: readonly string[]): boolean =>
  has(args, "i", "--in-place") && (areMany(filesIn(args).slice(1)) || args.some((arg) => arg === "{}"));
const statements = (args: readonly string[]): boolean =>
  /\b(?:drop\s+(?:table|database|schema)|truncate\s+(?:table\s+)?\w|delete\s+from\s+\w+\s*(?:;|$))/i.test(args.join(" "));

const RULES: Readonly<Record<string, (args: readonly string[], program: Program) => boolean>> = {
  rm: removes,
  grm: removes,
  unlink: (args) => areMany(filesIn(args)),
  rmdir: (args) => areMany(filesIn(args)),
  del: always,
  rimraf: always,
  "trash-empty": always,
  shred: always,
  wipe: always,
  srm: always,
  wipefs: always,
  fdisk: always,
  parted: always,
  dd: (args) => args.some((arg) => arg.startsWith("of=")),
  truncate: (args) => areMany(filesIn(args)) || args.some((arg) => /^-s0?$/.test(arg) || arg === "--size=0"),
  chmod: (args) => has(args, "R", "--recursive"),
  chown: (args) => has(args, "R", "--recursive"),
  mv: (args) => args.at(-1) === "/dev/null" || (has(args, "f", "--force") && areMany(filesIn(args).slice(0, -1))),
  cp: (args) => has(args, "f", "--force") && has(args, "rRa", "--recursive", "--archive"),
  rsync: (args) => args.some((arg) => /^--(?:delete|remove-source-files)/.test(arg)),
  sed: rewritesMany,
  gsed: rewritesMany,
  perl: (args) => has(args, "i") && areMany(filesIn(args).slice(1)),
  find: (args) => args.includes("-delete"),
  git: (args) => destroysInGit(args),
  shutdown: always,
  reboot: always,
  halt: always,
  poweroff: always,
  crontab: (args) => has(args, "r"),
  kill: (args) => args.includes("-1") && args.length > 1,
  killall: always,
  docker: (args) => /\b(?:prune|rmi?|volume rm)\b/.test(args.slice(0, 3).join(" ")),
  podman: (args) => /\b(?:prune|rmi?|volume rm)\b/.test(args.slice(0, 3).join(" ")),
  kubectl: (args) => args.includes("delete") || args.includes("drain"),
  terraform: (args) => args.includes("destroy"),
  tofu: (args) => args.includes("destroy"),
  dropdb: always,
  psql: statements,
  mysql: statements,
  mariadb: statements,
  sqlite3: statements,
  "redis-cli": (args) => /\bflush(?:all|db)\b/i.test(args.join(" ")),
  "git-filter-repo": always,
  bfg: always,
};

/** Options that stand before git's verb and take a value. */
const VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"]);

function destroysInGit(all: readonly string[]): boolean {
  let at = 0;
  while (at < all.length && (all[at] ?? "").startsWith("-")) at += VALUED.has(all[at] ?? "") ? 2 : 1;
  const verb = all[at] ?? "";
  const args = all.slice(at + 1);
  const files = filesIn(args);
  switch (verb) {
    case "reset":
      return args.some((arg) => /^--(?:hard|merge|keep)$/.test(arg) || (arg.length > 3 && "--hard".startsWith(arg)));
    case "clean":
      return has(args, "fxXd", "--force") && !has(args, "n", "--dry-run");
    case "push":
      return (
        has(args, "fd", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "--prune") ||
        args.some((arg) => arg.length > 4 && "--force-with-lease".startsWith(arg)) ||
        files.slice(1).some((ref) => /^[+:]/.test(ref))
      );
    case "checkout":
      return has(args, "f", "--force") || args.includes("--") || files.some((file) => /^(?:\.|\.\/|:\/|\*)$/.test(file));
    case "restore":
      return !has(args, "S", "--staged") || has(args, "W", "--worktree");
    case "switch":
      return has(args, "fC", "--force", "--discard-changes", "--force-create");
    case "branch":
      return has(args, "DMf", "--force");
    case "tag":
      return has(args, "df", "--delete", "--force");
    case "stash":
      return files[0] === "drop" || files[0] === "clear";
    case "rm":
      return has(args, "rf", "--force") || areMany(files);
    case "reflog":
      return files[0] === "expire" || files[0] === "delete";
    case "gc":
      return args.some((arg) => /^--prune=(?:now|all)$/.test(arg));
    case "update-ref":
      return has(args, "d", "--delete");
    case "worktree":
      return files[0] === "remove" && has(args, "f", "--force");
    case "filter-branch":
    case "filter-repo":
    case "replace":
      return true;
    default:
      return false;
  }
}
