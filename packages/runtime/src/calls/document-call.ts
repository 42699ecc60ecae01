import { type CallRef, decideCallEnd, decideDocument, isHeldSection, memoryFolder, type Section, sectionPath } from "@colloquy/core";
import { type CallPart, builtinInputs, Refused } from "@colloquy/schema";
import { fingerprint } from "../documents/documents.ts";
import type { Engine } from "../engine/engine.ts";
import type { LiveTree } from "../engine/live-tree.ts";
import { cutResult } from "../step/long-result.ts";
import type { RunRef } from "../engine/run-ref.ts";

/**
 * A call that reads or changes a document. The change is recorded first and written then; after a crash the file tells which
 * of the two happened: the old version, the new one, or somebody else's.
 */
export async function runDocumentCall(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  callRef: CallRef,
  part: CallPart,
  isChanged: boolean,
): Promise<void> {
  const { documents } = engine.deps;
  const texts = engine.rulebook.texts();
  const wish = wishOf(tree, ref, part);
  const end: End = (output, outcome, docs) =>
    engine.writer.record(ref.rootId, (state) =>
      decideCallEnd(
        state,
        callRef,
        {
          output: isChanged ? `${texts.approvedWithChanges}${JSON.stringify(part.input)}\n${output}` : output,
          ...(outcome && { outcome }),
          ...(docs && { docs }),
        },
        engine.rulebook.idIn(ref.rootId),
        engine.rulebook.rules(),
      ),
    );

  // A question may have been raised since the call was made, also in the same step.
  const isRecorded = tree.state.unwritten.some((one) => one.call === callRef.call);
  if (!isRecorded && isHeldSection(tree.state, engine.rulebook.rules().sections(), part)) {
    return void (await end(texts.askedFirst(part.tool), "refused"));
  }
  const link = documents.linkIn(wish.path);
  if (link !== undefined) return void (await end(texts.documentLinked(wish.path, link), "refused"));
  if (wish.kind === "change") return engine.documents.alone(wish.path, () => change(engine, ref, callRef, wish, end));
  const current = documents.read(wish.path);
  if (!current) return void (await end(texts.noDocument(wish.path, documents.list(wish.folder)), "refused"));
  const { output } = await cutResult(engine, ref, part.call, current.text);
  await end(output, undefined, { [wish.path]: current.hash });
}

type End = (output: string, outcome?: "refused" | "unknown", docs?: Record<string, string>) => Promise<unknown>;

async function change(engine: Engine, ref: RunRef, callRef: CallRef, { path, text }: Change, end: End): Promise<void> {
  const { documents } = engine.deps;
  const texts = engine.rulebook.texts();
  const current = documents.read(path);
  const wanted = { path, from: current?.hash ?? "", to: text === undefined ? "" : fingerprint(text) };
  await engine.writer.record(ref.rootId, (state) => decideDocument(state, callRef, wanted));
  const recorded = await engine.look(ref.rootId, ({ state }) => state.unwritten.find((one) => one.call === callRef.call));
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

function wishOf(tree: LiveTree, ref: RunRef, { tool, input }: CallPart): Wish {
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
