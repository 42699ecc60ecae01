import { dirname } from "node:path/posix";
import { type CallRef, decideCallEnd, decideDocument, isHeldSection, memoryFolder, type Section, sectionPath } from "@colloquy/core";
import { type CallPart, builtinInputs, Refused } from "@colloquy/schema";
import { fingerprint } from "../documents/documents.ts";
import type { RunContext } from "../engine/run-context.ts";
import { cutResult } from "../step/long-result.ts";
import type { DueCall } from "./running-call.ts";

/**
 * A call that reads or changes a document. The change is recorded before it is written; after a crash the file shows which version it
 * has: the old one, the new one, or somebody else's.
 */
export async function runDocumentCall(context: RunContext, { at, call, part }: DueCall): Promise<void> {
  const { rulebook, tree } = context;
  const { documents } = context.deps;
  const texts = rulebook.texts();
  const wish = wishOf(context, part);
  const end: End = (output, outcome, docs) =>
    context.record((state) =>
      decideCallEnd(
        state,
        at,
        {
          result: {
            output: call.isChanged ? `${texts.approvedWithChanges}${JSON.stringify(part.input)}\n${output}` : output,
            ...(outcome && { outcome }),
            ...(docs && { docs }),
          },
          question: context.newId(),
        },
        rulebook.rules(),
      ),
    );

  // A question may have been raised since the call was made, even in the same step.
  const isRecorded = tree.state.unwritten.some((one) => one.call === at.call);
  if (!isRecorded && isHeldSection(tree.state, rulebook.rules().sections(), part)) {
    return void (await end(texts.askedFirst(part.tool), "refused"));
  }
  await documents.ready?.([dirname(wish.path)]);
  const link = documents.linkIn(wish.path);
  if (link !== undefined) return void (await end(texts.documentLinked(wish.path, link), "refused"));
  if (wish.kind === "change") return context.shared.documents.alone(wish.path, () => change(context, at, wish, end));
  const current = documents.read(wish.path);
  if (!current) return void (await end(texts.noDocument(wish.path, documents.list(wish.folder)), "refused"));
  const { output } = await cutResult(context, part.call, current.text);
  await end(output, undefined, { [wish.path]: current.hash });
}

type End = (output: string, outcome?: "refused" | "unknown", docs?: Record<string, string>) => Promise<unknown>;

async function change(context: RunContext, at: CallRef, { path, text }: Change, end: End): Promise<void> {
  const { documents } = context.deps;
  const texts = context.rulebook.texts();
  const current = documents.read(path);
  const wanted = { path, from: current?.hash ?? "", to: text === undefined ? "" : fingerprint(text), text };
  await context.record((state) => decideDocument(state, at, wanted));
  const recorded = await context.trees.look(context.ref.rootId, ({ state }) => state.unwritten.find((one) => one.call === at.call));
  if (!recorded) return void (await end(texts.documentUnseen(path, current?.text), "refused", { [path]: wanted.from }));
  try {
    if ((await documents.swap(path, recorded.from, text)) === "written")
      return void (await end(texts.documentWritten(path), undefined, { [path]: wanted.to }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return void (await end(texts.documentLinked(path, documents.linkIn(path) ?? path), "refused"));
  }
  await end(texts.documentTakenOver(path), "unknown", { [path]: documents.read(path)?.hash ?? "" });
}

interface Change {
  readonly kind: "change";
  readonly path: string;
  readonly text: string | undefined;
}

type Wish = Change | { readonly kind: "recall"; readonly path: string; readonly folder: string };

function wishOf({ tree, ref }: RunContext, { tool, input }: CallPart): Wish {
  if (tool === "change_mind") {
    const { selector, content } = builtinInputs.change_mind.parse(input);
    const path = sectionPath(tree.state.dialogs.get(ref.dialog)?.taskDocPath ?? "", selector satisfies Section);
    return { kind: "change", path, text: content };
  }
  if (tool === "update_prd") {
    const { sectionKey, content } = builtinInputs.update_prd.parse(input);
    return { kind: "change", path: `prd/${sectionKey}.md`, text: content };
  }
  const { scope, path } = tool === "remember" ? builtinInputs.remember.parse(input) : builtinInputs.recall.parse(input);
  const folder = memoryFolder(scope, ref.agent);
  const place = `${folder}/${path}`;
  if (tool === "recall") return { kind: "recall", path: place, folder };
  return { kind: "change", path: place, text: tool === "remember" ? builtinInputs.remember.parse(input).content : undefined };
}
