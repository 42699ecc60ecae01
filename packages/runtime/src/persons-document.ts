import { type Section, sectionPath, type Unwritten } from "@colloquy/core";
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
  const path =
    (await engine.look(rootId, ({ state }) => sectionPath(state.dialogs.get(wish.dialog)?.taskDocPath ?? "", wish.selector))) ?? "";
  return engine.documents.alone(path, async () => {
    // Whoever came before is written before this one looks what is there.
    await settleOne(engine, rootId, path);
    const from = path === "" ? "" : (engine.deps.documents.read(path)?.hash ?? "");
    const outcome = await engine.command(rootId, { type: "change_mind", ...wish, from, to: fingerprint(wish.content) });
    if (!outcome.ok) return outcome;
    const fate = await settleOne(engine, rootId, path).catch((error: unknown) => {
      engine.settleLater(rootId); // it is recorded, and will be done
      throw error;
    });
    if (fate === "written") return outcome;
    const message = `Somebody changed ${path} while this was being written. Theirs stays; look at it, then try again.`;
    return { ok: false, refusal: { code: "document_changed", message } };
  });
}

/** Changes by people that are recorded and not known to be written: the file tells which version it is. */
export async function settleDocuments(engine: Engine, rootId: RootId): Promise<void> {
  const unwritten = (await engine.look(rootId, ({ state }) => state.unwritten.filter((one) => one.call === undefined))) ?? [];
  for (const path of new Set(unwritten.map((one) => one.path))) await engine.documents.alone(path, () => settleOne(engine, rootId, path));
}

/** Says what became of the last of them. */
async function settleOne(engine: Engine, rootId: RootId, path: string): Promise<"written" | "taken"> {
  const { documents, store } = engine.deps;
  const isMine = (one: Unwritten) => one.call === undefined && one.path === path;
  const unwritten = (await engine.look(rootId, ({ state }) => state.unwritten.filter(isMine))) ?? [];
  let fate: "written" | "taken" = "written";
  for (const { from, to, seq, dialog } of unwritten) {
    const [line] = await store.read(rootId, seq - 1, 1);
    const event = line?.events[seq - line.seq];
    const content = event?.type === "document.changed" ? event.content : undefined;
    fate = content === undefined ? "taken" : await documents.swap(path, from, content);
    await engine.record(rootId, (tree) => ({
      ok: true,
      seq: tree.seq + 1,
      events: [
        {
          type: "document.written",
          dialog,
          course: tree.dialogs.get(dialog)?.course ?? 1,
          path,
          to,
          ...(fate === "taken" && { taken: true }),
        },
      ],
    }));
  }
  return fate;
}
