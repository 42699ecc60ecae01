import { type Section, sectionPath } from "@colloquy/core";
import type { DialogId, RootId } from "@colloquy/schema";
import type { Outcome } from "./commit.ts";
import { fingerprint } from "./documents.ts";
import type { Engine } from "./engine.ts";

/** What a person wants a section of the Taskdoc to say. */
export interface SectionWish {
  readonly dialog: DialogId;
  readonly selector: Section;
  readonly content: string;
  readonly by: string;
  /** The version that the person saw. */
  readonly shown?: string;
  readonly msgId?: string;
}

/** A person changes a section of the Taskdoc: recorded first, then written. */
export async function changeMind(engine: Engine, rootId: RootId, wish: SectionWish): Promise<Outcome> {
  const path = await engine.look(rootId, ({ state }) => sectionPath(state.dialogs.get(wish.dialog)?.taskDocPath ?? "", wish.selector));
  const from = path === undefined ? "" : (engine.deps.documents.read(path)?.hash ?? "");
  const outcome = await engine.command(rootId, { type: "change_mind", ...wish, from, to: fingerprint(wish.content) });
  if (outcome.ok) await settleDocuments(engine, rootId);
  return outcome;
}

/** Changes by people that are recorded and not known to be written: the file tells which version it is. */
export async function settleDocuments(engine: Engine, rootId: RootId): Promise<void> {
  const { documents, store } = engine.deps;
  const unwritten = (await engine.look(rootId, ({ state }) => state.unwritten.filter((one) => one.call === undefined))) ?? [];
  for (const { path, from, to, seq, dialog } of unwritten) {
    const [line] = await store.read(rootId, seq - 1, 1);
    const event = line?.events[seq - line.seq];
    const isOld = (documents.read(path)?.hash ?? "") === from;
    if (isOld && event?.type === "document.changed" && event.content !== undefined) await documents.write(path, event.content);
    await engine.record(rootId, (tree) => ({
      ok: true,
      seq: tree.seq + 1,
      events: [{ type: "document.written", dialog, course: tree.dialogs.get(dialog)?.course ?? 1, path, to }],
    }));
  }
}
