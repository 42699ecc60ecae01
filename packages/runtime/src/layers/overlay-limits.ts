import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** EXDEV and EOVERFLOW. */
const ERRORS = [18, 75];
const ENGLISH = ["EXDEV", "EOVERFLOW", "Invalid cross-device link", "Value too large for defined data type"];
const known = new Map<string, RegExp>();

/**
 * Error texts of programs that hit a limit of an unprivileged overlay: a folder can't be renamed, or a file of another owner can't be
 * written. In English and in the command's language.
 */
export function limitWords(env: Readonly<Record<string, string>>): RegExp {
  const language = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  const found = known.get(language);
  if (found) return found;
  const words = [...ENGLISH, ...(/^(?:$|C\b|POSIX\b|en)/.test(language) ? [] : translated(env))];
  const pattern = new RegExp(words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join("|"));
  known.set(language, pattern);
  return pattern;
}

/** Read from a system program: Node's errors are English only. */
function translated(env: Readonly<Record<string, string>>): readonly string[] {
  if (!existsSync("/usr/bin/perl")) return [];
  const script = `use locale; use POSIX; setlocale(LC_ALL, ""); for (${ERRORS.join(",")}) { print POSIX::strerror($_), "\\n" }`;
  const { stdout } = spawnSync("/usr/bin/perl", ["-e", script], { env, encoding: "utf8", timeout: 5_000 });
  return (stdout ?? "").split("\n").filter((line) => line.trim().length > 3);
}
