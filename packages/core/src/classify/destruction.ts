import { entryOf } from "./entry-of.ts";
import { fromVerb } from "./started-by.ts";
import type { Program } from "./unwrap.ts";

/** Deleting more files than this at once is destructive. */
const MAX_HARMLESS_PATHS = 8;

/** The words that destroy something irrecoverably; undefined if there are none. */
export function destruction(program: Program): string | undefined {
  const { name, args } = program;
  const isDestructive =
    program.code?.destroys ||
    program.writes.some((path) => /[*?]|^\{\}$/.test(path)) ||
    (entryOf(RULES, name)?.(args, program) ?? /^mkfs(?:\.|$)/.test(name)) ||
    (CLOUDS.has(name) && args.some((arg) => ENDS.test(arg))) ||
    RESETS.test(`${name} ${args.join(" ")}`);
  return isDestructive ? [name, ...args].join(" ").trim() : undefined;
}

/** A short option, alone or combined (-rf), or a long one, which some programs allow to be abbreviated. */
function has(args: readonly string[], short: string, ...long: readonly string[]): boolean {
  const among = new RegExp(`^-[a-zA-Z0-9]*[${short}]`);
  return args.some(
    (arg) =>
      arg.startsWith("-") &&
      ((short !== "" && !arg.startsWith("--") && among.test(arg)) || long.some((one) => arg === one || arg.startsWith(`${one}=`))),
  );
}

const filesIn = (args: readonly string[]): readonly string[] => args.filter((arg) => !arg.startsWith("-"));
const areMany = (files: readonly string[]): boolean =>
  files.length > MAX_HARMLESS_PATHS ||
  files.some((file) => /[*?[]/.test(file)) ||
  files.some((file) => /^(?:\.|\.\/|\/|~|\.\.|\{\})$/.test(file));

const always = (): boolean => true;
/** Clients of cloud services, and the words that delete resources there. */
const CLOUDS = new Set(
  "aws gcloud gsutil az heroku fly flyctl vercel netlify firebase supabase doctl hcloud linode-cli pulumi cdk cdktf serverless sls sst eksctl helm helmfile rclone s3cmd mc gh glab zfs btrfs lxc vagrant nomad vault consul".split(
    " ",
  ),
);
const ENDS =
  /^(?:rm|rb|del|delete|destroy|purge|remove|uninstall|drop|teardown|down|terminate|wipe)$|:(?:delete|destroy|reset|remove)\b|^(?:delete|terminate|destroy|remove)-|^--delete/;
/** Commands that recreate databases. */
const RESETS =
  /^(?:rails|rake|bin\/rails|php|python[\d.]*|prisma|typeorm|sequelize|knex|mix|flask|alembic|drizzle-kit|mongo|mongosh|mysqladmin)\b.*(?:\bdb:(?:drop|reset|purge)\b|\bmigrate:(?:fresh|reset|rollback)\b|\bmigrate reset\b|--force-reset\b|\bmanage\.py (?:flush|reset_db)\b|\bschema:drop\b|\becto\.(?:drop|reset)\b|\bdropDatabase\b|\bdrop\b)/;

/** The files, and their number, are not known in advance. */
const areUnknown = ({ isKnown }: Program): boolean => !isKnown;

const removes = (args: readonly string[], program: Program): boolean =>
  areUnknown(program) ||
  has(args, "rR", "--recursive") ||
  args.some((arg) => "--recursive".startsWith(arg) && arg.length > 3) ||
  areMany(filesIn(args)) ||
  filesIn(args).length === 0;
const rewritesMany = (args: readonly string[], program: Program): boolean => {
  if (!has(args, "i", "--in-place")) return false;
  const files = filesIn(args).slice(1);
  return files.length === 0 || areMany(files) || args.includes("{}") || areUnknown(program);
};
const statements = (args: readonly string[], { feed = "" }: Program): boolean =>
  /\b(?:drop\s+(?:table|database|schema)|truncate\s+(?:table\s+)?\w|delete\s+from\s+\w+\s*(?:;|$))/i.test(`${args.join(" ")}\n${feed}`);

const RULES: Readonly<Record<string, (args: readonly string[], program: Program) => boolean>> = {
  rm: removes,
  grm: removes,
  unlink: (args) => areMany(filesIn(args)),
  rmdir: (args) => areMany(filesIn(args)),
  del: always,
  rimraf: always,
  "del-cli": always,
  gio: (args) => args.includes("--empty"),
  "trash-empty": always,
  shred: always,
  wipe: always,
  srm: always,
  wipefs: always,
  fdisk: always,
  parted: always,
  dd: (args) => args.some((arg) => arg.startsWith("of=")),
  truncate: (args) => areMany(filesIn(args)) || args.some((arg) => /^-s0?$/.test(arg) || /^--size(?:=0)?$/.test(arg)),
  chmod: (args) => has(args, "R", "--recursive"),
  chown: (args) => has(args, "R", "--recursive"),
  mv: (args) => args.at(-1) === "/dev/null" || (!has(args, "n", "--no-clobber") && areMany(filesIn(args).slice(0, -1))),
  rename: (args) => areMany(filesIn(args).slice(1)),
  prename: (args) => areMany(filesIn(args).slice(1)),
  mmv: always,
  tar: (args) => args.includes("--remove-files"),
  zip: (args) => has(args, "m", "--move"),
  "7z": (args) => args.includes("-sdel"),
  cp: (args) => has(args, "f", "--force") && has(args, "rRa", "--recursive", "--archive"),
  rsync: (args) => args.some((arg) => /^--(?:del(?:ete)?\b|delete-|remove-source-files)/.test(arg)),
  sed: rewritesMany,
  gsed: rewritesMany,
  perl: (args, program) =>
    args.some((arg) => /^-(?:[pnlwa0]*i|i)/.test(arg)) &&
    (areMany(filesIn(args).slice(1)) || filesIn(args).length < 2 || areUnknown(program)),
  find: (args) => args.includes("-delete"),
  git: (args) => destroysInGit(args),
  shutdown: always,
  reboot: always,
  halt: always,
  poweroff: always,
  crontab: (args) => has(args, "r"),
  kill: (args) => args.includes("-1") && args.length > 1,
  killall: always,
  pkill: always,
  init: (args) => args.includes("0") || args.includes("6"),
  systemctl: (args) => /^(?:poweroff|reboot|halt|kexec|emergency|rescue)$/.test(filesIn(args)[0] ?? ""),
  mke2fs: always,
  blkdiscard: always,
  cryptsetup: (args) => args.some((arg) => /^(?:luksFormat|erase|luksErase)$/.test(arg)),
  lvremove: always,
  vgremove: always,
  pvremove: always,
  userdel: always,
  dropuser: always,
  docker: (args) => endsContainers(args),
  podman: (args) => endsContainers(args),
  "docker-compose": (args) => endsContainers(["compose", ...args]),
  kubectl: (args) => args.includes("delete") || args.includes("drain"),
  terraform: (args) => args.includes("destroy") || args.includes("-destroy") || args.includes("--destroy"),
  tofu: (args) => args.includes("destroy") || args.includes("-destroy") || args.includes("--destroy"),
  dropdb: always,
  psql: statements,
  mysql: statements,
  mariadb: statements,
  sqlite3: statements,
  rclone: (args) => args.includes("sync") || args.some((arg) => ENDS.test(arg)),
  "redis-cli": (args) => /\bflush(?:all|db)\b/i.test(args.join(" ")),
  "git-filter-repo": always,
  bfg: always,
};

const endsContainers = (args: readonly string[]): boolean =>
  /^(?:\S+ )?(?:prune|rmi?|reset)\b/.test(filesIn(args).slice(0, 2).join(" ")) ||
  (args.includes("down") && has(args, "v", "--volumes", "--rmi"));

function destroysInGit(all: readonly string[]): boolean {
  const [verb = "", ...args] = fromVerb(all);
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
    case "submodule":
      return files[0] === "deinit" && has(args, "f", "--force");
    case "read-tree":
      return args.includes("--reset");
    case "checkout-index":
      return has(args, "f", "--force");
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
