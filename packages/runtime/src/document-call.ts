import { type CallRef, decideCallEnd, decideDocument, isHeldSection, memoryFolder, sectionPath, type Section } from "@colloquy/core";
import { type CallPart, houseInputs } from "@colloquy/schema";
import { fingerprint } from "./documents.ts";
import type { Engine } from "./engine.ts";
import type { LiveTree } from "./live-tree.ts";
import { cutResult } from "./long-result.ts";
import type { RunRef } from "./run-ref.ts";

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
  const texts = engine.texts();
  const wish = wishOf(tree, ref, part);
  const current = documents.read(wish.path);
  const end = (output: string, outcome?: "refused" | "unknown", docs?: Record<string, string>) =>
    engine.record(ref.rootId, (state) =>
      decideCallEnd(
        state,
        callRef,
        {
          output: isChanged ? `${texts.approvedWithChanges}${JSON.stringify(part.input)}\n${output}` : output,
          ...(outcome && { outcome }),
          ...(docs && { docs }),
        },
        engine.idIn(ref.rootId),
        engine.rules(),
      ),
    );

  // A question may have been raised since the call was made, also in the same step.
  const isRecorded = tree.state.unwritten.some((one) => one.call === callRef.call);
  if (!isRecorded && isHeldSection(tree.state, engine.rules().sections(), part)) {
    return void (await end(texts.askedFirst(part.tool), "refused"));
  }
  if (wish.kind === "recall") {
    if (!current) return void (await end(texts.noDocument(wish.path, documents.list(wish.folder)), "refused"));
    const { output } = await cutResult(engine, ref, part.call, current.text);
    return void (await end(output, undefined, { [wish.path]: current.hash }));
  }
  const change = { path: wish.path, from: current?.hash ?? "", to: wish.text === undefined ? "" : fingerprint(wish.text) };
  const decided = decideDocument(tree.state, callRef, change);
  if (decided.kind === "unseen") {
    return void (await end(texts.documentUnseen(wish.path, current?.text), "refused", { [wish.path]: change.from }));
  }
  if (decided.kind === "change") await engine.record(ref.rootId, (state) => ({ ok: true, seq: state.seq + 1, events: decided.events }));
  const was = decided.kind === "recorded" ? decided.from : change.from;
  if (change.from === was && change.from !== change.to) {
    if (wish.text === undefined) await documents.remove(wish.path);
    else await documents.write(wish.path, wish.text);
  } else if (change.from !== change.to) {
    return void (await end(texts.documentTakenOver(wish.path), "unknown", { [wish.path]: change.from }));
  }
  await end(texts.documentWritten(wish.path), undefined, { [wish.path]: change.to });
}

type Wish =
  | { readonly kind: "change"; readonly path: string; readonly folder: string; readonly text: string | undefined }
  | { readonly kind: "recall"; readonly path: string; readonly folder: string };

function wishOf(tree: LiveTree, ref: RunRef, { tool, input }: CallPart): Wish {
  if (tool === "change_mind") {
    const { selector, content } = houseInputs.change_mind.parse(input);
    const path = sectionPath(tree.state.dialogs.get(ref.dialog)?.taskDocPath ?? "", selector satisfies Section);
    return { kind: "change", path, folder: "", text: content };
  }
  if (tool === "update_prd") {
    const { sectionKey, content } = houseInputs.update_prd.parse(input);
    return { kind: "change", path: `prd/${sectionKey}.md`, folder: "prd", text: content };
  }
  const { scope, path } = tool === "remember" ? houseInputs.remember.parse(input) : houseInputs.recall.parse(input);
  const folder = memoryFolder(scope, ref.agent);
  const place = { path: `${folder}/${path}`, folder };
  if (tool === "recall") return { kind: "recall", ...place };
  return { kind: "change", ...place, text: tool === "remember" ? houseInputs.remember.parse(input).content : undefined };
}
