// Names that tools may not see, and names they may not write. Paths are relative to the project and have slashes. A name is folded
// before it is judged: a file system that ignores case, Unicode form, or trailing dots and spaces would open the same file under the
// other name, and refusing one name too many costs less than opening one.

/** Folders that contain keys, whatever the files are called. */
const KEY_FOLDERS = new Set([".ssh", ".gnupg", ".aws", ".azure", ".gcloud", ".kube", ".docker"]);

const KEY_FILES = new Set([
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pypirc",
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".pgpass",
  ".my.cnf",
  ".htpasswd",
  ".dockercfg",
  ".vault-token",
  ".terraformrc",
  ".boto",
  ".s3cfg",
]);

const ENDINGS = ["pem", "key", "p12", "pfx", "pkcs12", "jks", "keystore", "ppk", "kdbx"];
const SSH_KINDS = ["rsa", "dsa", "ecdsa", "ed25519", "xmss"];
const KEY_ENDINGS = new RegExp(String.raw`\.(?:${ENDINGS.join("|")})$`);
const SSH_KEYS = new RegExp(`^id_(?:${SSH_KINDS.join("|")})`);

/** The same for git: marked binary in diffs and searches, and left out of archives. */
export const HIDDEN_ATTRIBUTES = [
  ".env*",
  ...KEY_FILES,
  ...ENDINGS.map((ending) => `*.${ending}`),
  ...SSH_KINDS.map((kind) => `id_${kind}*`),
  ...[...KEY_FOLDERS, ".env*", ".dialogs", "*.tsk", ".config/colloquy"].map((folder) => `**/${folder}/**`),
  "/memory/**",
]
  .map((pattern) => `${pattern} -diff export-ignore\n`)
  .join("");

/** Installed packages contain certificates and samples of all kinds; nobody keeps secrets there. */
const PACKAGES = new Set(["node_modules", "site-packages"]);

// Zero-width characters, which some file systems ignore.
const UNSEEN_MARKS = /\p{Default_Ignorable_Code_Point}/gu;

/** A name as the most lenient file system would read it. */
export function folded(name: string): string {
  if (/^[a-z0-9_.-]*[a-z0-9_-]$/.test(name)) return name; // the common case
  const plain = name.normalize("NFKC").replace(UNSEEN_MARKS, "").toLowerCase();
  const withoutStream = process.platform === "win32" ? plain.replace(/:.*$/s, "") : plain;
  return withoutStream.replace(/(?<![. ])[. ]+$/, "");
}

/** `.git` as the most lenient file system reads it; `git~1` is its short name on Windows. */
export function isDotGit(name: string): boolean {
  const plain = folded(name);
  return plain === ".git" || /^git~\d+$/.test(plain);
}

const isKeyName = (name: string): boolean =>
  name.startsWith(".env") || KEY_FILES.has(name) || KEY_FOLDERS.has(name) || KEY_ENDINGS.test(name) || SSH_KEYS.test(name);

const partsOf = (inside: string): readonly string[] => inside.split("/").map(folded);

/** Is this path, or a folder above it, closed to tools? */
export function isHidden(inside: string): boolean {
  const parts = partsOf(inside);
  if (parts[0] === "memory") return true;
  const packages = parts.findIndex((part) => PACKAGES.has(part));
  // A person's own Colloquy configuration, if the home folder is a project: it says what is trusted.
  if (parts.some((part, at) => part === ".config" && parts[at + 1] === "colloquy")) return true;
  return parts.some((part, at) => part === ".dialogs" || part.endsWith(".tsk") || ((packages < 0 || at <= packages) && isKeyName(part)));
}

/** May tools read this, but not write it? The team's settings, the requirements, and what git runs. */
export function isReadOnly(inside: string): boolean {
  const parts = partsOf(inside);
  return (parts.length === 1 && parts[0] === "colloquy.yaml") || parts[0] === "agents" || isRequirement(inside) || parts.some(isDotGit);
}

/**
 * Is this one of the programs that we run, or below one of their folders? `programs` are paths in the project, as `isReadOnly` takes
 * them, or "" for all of it: the commands of MCP servers in the settings with the links on the way there, and our own code.
 */
export function isProgram(inside: string, programs: readonly string[]): boolean {
  if (programs.length === 0) return false;
  const name = partsOf(inside).join("/");
  return programs.some((program) => {
    const other = partsOf(program).join("/");
    return other === "" || name === other || name.startsWith(`${other}/`);
  });
}

/** The requirements are documents: they change only through `update_prd`. */
export const isRequirement = (inside: string): boolean => partsOf(inside)[0] === "prd";

/** Is this below the installed packages? */
export const isInPackages = (inside: string): boolean => partsOf(inside).some((part) => PACKAGES.has(part));
