import type { Project, Receipt, RootId } from "@colloquy/library";
import type { Call } from "./command.ts";
import { glyphs } from "./dialog-state.ts";
import { ExitCode } from "./exit-code.ts";
import { shortId } from "./ids.ts";
import { print } from "./output.ts";
import { oneLine } from "./terminal/visible.ts";
import { cut } from "./terminal/width.ts";

/** Says what became of a dialog. */
export function changed(
  call: Pick<Call, "shell" | "json">,
  project: Project,
  rootId: RootId,
  { seq }: Receipt,
  state: "stopped" | "done" | "archived",
): ExitCode {
  const { out } = call.shell;
  const title = cut(oneLine(project.entry(rootId)?.title ?? ""), 50);
  const id = shortId(rootId);
  print(call, { rootId, seq, state }, () => (out.isTerminal ? `${glyphs[state]} ${id}  ${title} is ${state}.\n` : `${id}\t${state}\n`));
  return ExitCode.done;
}
