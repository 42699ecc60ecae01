import type { Call } from "../line/command.ts";
import { glyphs } from "./dialog-state.ts";
import type { ProjectAccess, Receipt } from "../access/project-access.ts";
import { ExitCode } from "../line/exit-code.ts";
import { type DialogAddress, shortId } from "./ids.ts";
import { print } from "../line/output.ts";
import { oneLine } from "../terminal/visible.ts";
import { cut } from "../terminal/width.ts";

interface DialogChange extends Pick<Receipt, "seq"> {
  readonly state: "stopped" | "done" | "archived" | "dead";
}

/** Prints a dialog's new state. */
export async function reportChange(
  call: Pick<Call, "shell" | "json">,
  project: ProjectAccess,
  place: DialogAddress,
  { seq, state }: DialogChange,
): Promise<ExitCode> {
  const { out } = call.shell;
  const { title } = await project.view(place);
  const id = shortId(place.selfId);
  print(call, { ...place, seq, state }, () =>
    out.isTerminal ? `${glyphs[state]} ${id}  ${cut(oneLine(title), 50)} is ${state}.\n` : `${id}\t${state}\n`,
  );
  return ExitCode.done;
}
