import { type Card, lineDiff, type Texts, type Tree, sectionPath, type Verdict } from "@colloquy/core";
import { type ActClass, type CallPart, builtinInputs, withVisibleControls } from "@colloquy/schema";
import { fingerprint } from "../documents/documents.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import type { RunRef } from "../engine/run-ref.ts";
import { editText } from "../tools/files/files-job.ts";
import { placeToRead } from "../tools/files/resolved-path.ts";
import { readTextFile } from "../tools/files/text-file.ts";

const MAX_BYTES = 2_000_000;
const MAX_SHORT_CHARACTERS = 60;
const MAX_CHARACTERS = 20_000;

/** A call as a run of this tree makes it. */
export interface CallInTree {
  readonly tree: Tree;
  readonly ref: RunRef;
  readonly part: CallPart;
}

/** Exactly what a call will do, for the person who decides or is notified: the command, the diff, the text. */
export async function callCard(context: ProjectContext, call: CallInTree, why: string): Promise<Card> {
  const texts = context.rulebook.texts();
  const { headline, text, basis } = await describe(context, call);
  const raw = [why, text].filter((one) => one !== "").join("\n\n");
  // Marks only lengthen the text, so the part that is cut off anyway can be skipped.
  const whole = withVisibleControls(raw.slice(0, MAX_CHARACTERS));
  const left = Math.max(0, whole.length - MAX_CHARACTERS) + Math.max(0, raw.length - MAX_CHARACTERS);
  const shown = left > 0 ? `${whole.slice(0, MAX_CHARACTERS)}\n${texts.leftOutOfCard(left)}` : whole;
  return { headline: withVisibleControls(headline), text: shown, tool: call.part.tool, ...(basis && { basis }) };
}

/** Why it asks or notifies. */
export function reasonFor({ verdict, findings, pattern, isHeld = false }: Verdict, texts: Texts): string {
  const part = findings.map((one) => one.part).join("; ");
  const kinds = [...new Set(findings.map((one) => one.class))];
  const lines = [
    ...(findings.length > 0
      ? [verdict === "notify" ? texts.tellsOnly(kinds[0] ?? "scopeChanges", part) : texts.asksFirst(kinds, part)]
      : []),
    ...(pattern === undefined ? [] : [texts.askedByPattern(pattern)]),
    ...(isHeld ? [texts.heldInWhatIf] : []),
  ];
  return lines.join("\n");
}

export const classesOf = ({ findings }: Verdict): readonly ActClass[] => [...new Set(findings.map((one) => one.class))];

interface Described {
  readonly headline: string;
  readonly text: string;
  readonly basis?: Readonly<Record<string, string>>;
}

async function describe(context: ProjectContext, { tree, ref, part }: CallInTree): Promise<Described> {
  const { documents } = context.deps;
  const texts = context.rulebook.texts();
  const input = (part.input ?? {}) as Readonly<Record<string, unknown>>;
  switch (part.tool) {
    case "run_command": {
      const command = String(input.command);
      const folder = typeof input.cwd === "string" && input.cwd !== "." ? input.cwd : undefined;
      const headline = texts.runsCommand(shortened(command), folder);
      return { headline, text: folder === undefined ? `$ ${command}` : `${folder}\n$ ${command}` };
    }
    case "write_file":
    case "edit_file":
      return fileChange(context, part.tool, input);
    case "change_mind": {
      const { selector, content } = builtinInputs.change_mind.parse(part.input);
      const path = sectionPath(tree.dialogs.get(ref.dialog)?.taskDocPath ?? "", selector);
      const { text } = lineDiff(documents.read(path)?.text ?? "", content);
      return { headline: texts.changesMind(selector), text };
    }
    case "update_prd": {
      const { sectionKey, content } = builtinInputs.update_prd.parse(part.input);
      const { text } = lineDiff(documents.read(`prd/${sectionKey}.md`)?.text ?? "", content);
      return { headline: texts.changesPrd(sectionKey), text };
    }
    case "create_task":
      return { headline: texts.newTask(shortened(String(input.title))), text: described(input) };
    case "create_plan": {
      const { tasks } = builtinInputs.create_plan.parse(part.input);
      const lines = tasks.flatMap(({ key, title, description, dependsOn = [] }) => [
        texts.plannedTask(key, title, dependsOn),
        ...(description === undefined || description === "" ? [] : [`  ${description.replace(/\n/g, "\n  ")}`]),
      ]);
      return { headline: texts.newPlan(tasks.length), text: lines.join("\n") };
    }
    case "update_task": {
      const { task, close } = builtinInputs.update_task.parse(part.input);
      return { headline: close === undefined ? texts.changesTask(task) : texts.closesTask(task), text: described(input) };
    }
    case "record_decision":
      return { headline: texts.decides(shortened(String(input.title))), text: described(input) };
    default: {
      const short = JSON.stringify(part.input);
      return {
        headline: texts.runsTool(part.tool, short.length <= MAX_SHORT_CHARACTERS ? short : ""),
        text: `${part.tool}\n${JSON.stringify(part.input, undefined, 2)}`,
      };
    }
  }
}

/** The diff it will make, and the version it is based on: another version needs another look. */
async function fileChange(
  { deps, rulebook }: ProjectContext,
  tool: "write_file" | "edit_file",
  input: Readonly<Record<string, unknown>>,
): Promise<Described> {
  const path = String(input.path);
  const before = await textAt(deps.dir, path);
  const after = tool === "write_file" ? String(input.content) : await afterEdit(before ?? "", input);
  const { text, added, removed } = lineDiff(before ?? "", after ?? before ?? "");
  const headline = rulebook.texts().changesFile(path, before === undefined, added, removed);
  return { headline, text: `${path}\n${text}`, basis: { [path]: before === undefined ? "" : fingerprint(before) } };
}

const afterEdit = async (text: string, { old, new: fresh }: Readonly<Record<string, unknown>>): Promise<string> =>
  (await editText({ text, old: String(old), fresh: String(fresh) }, new AbortController().signal)).text;

/** Paths out of reach are refused when the call runs; here they are only not shown. */
export async function textAt(dir: string, path: string): Promise<string | undefined> {
  try {
    return (await readTextFile(placeToRead(dir, path), path, MAX_BYTES, AbortSignal.timeout(5_000))).text;
  } catch {
    return undefined; // missing, or hidden from everybody
  }
}

const described = (input: Readonly<Record<string, unknown>>): string =>
  Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");

function shortened(text: string): string {
  const line = text.trim().split("\n")[0] ?? "";
  return line.length <= MAX_SHORT_CHARACTERS && !text.trim().includes("\n") ? line : `${line.slice(0, MAX_SHORT_CHARACTERS)}…`;
}
