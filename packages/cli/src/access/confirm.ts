import type { Call } from "../line/command.ts";
import { refused } from "../line/failure.ts";

/** Confirms something irreversible. In a pipe nobody can be asked: `--yes` must be given. */
export async function isConfirmed(
  { shell, json }: Pick<Call, "shell" | "json">,
  yes: boolean,
  question: string,
  command: string,
): Promise<boolean> {
  if (yes) return true;
  if (!shell.canAsk || json) throw refused("not_confirmed", `${question} This cannot be undone. To do it: ${command} --yes`);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: `${question} This cannot be undone.`, initialValue: false });
  return answer === true;
}
