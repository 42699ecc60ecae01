import { type Section, sectionPath, type Unwritten } from "@colloquy/core";
import { type DialogId, Refused, type RootId } from "@colloquy/schema";
import type { Outcome } from "../engine/commit.ts";
import { fingerprint, linkedDocument } from "./documents.ts";
import type { Engine } from "../engine/engine.ts";

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

/** Taken: somebody else had changed the file meanwhile, and theirs stayed. */
type Fate = "written" | "taken";

const LINES_AT_ONCE = 100;

/** A person changes a section of the Taskdoc: recorded first, then written. */
export async function changeMind(engine: Engine, rootId: RootId, wish: SectionWish): Promise<Outcome> {
  const path =
    (await engine.look(rootId, ({ state }) => sectionPath(state.dialogs.get(wish.dialog)?.taskDocPath ?? "", wish.selector))) ?? "";
  return engine.documents.alone(path, async () => {
    // Earlier changes are written before this one reads the file.
    await writeDocument(engine, rootId, path);
    const link = path === "" ? undefined : engine.deps.documents.linkIn(path);
    if (link !== undefined) return { ok: false, refusal: { code: "bad_request", message: linkedDocument(path, link) } };
    const from = path === "" ? "" : (engine.deps.documents.read(path)?.hash ?? "");
    const outcome = await engine.command(rootId, { type: "change_mind", ...wish, from, to: fingerprint(wish.content) });
    if (!outcome.ok) return outcome;
    const settled = await writeDocument(engine, rootId, path).catch((error: unknown) => {
      engine.settler.later(rootId); // it is recorded, and will be done
      throw error;
    });
    const isRepeat = outcome.events.length === 0;
    const fate = isRepeat ? await fateOf(engine, rootId, outcome.seq, path) : settled;
    if (fate === "written") return outcome;
    const message = `Somebody changed ${path} while this was being written. Theirs stays; look at it, then try again.`;
    return { ok: false, refusal: { code: "document_changed", message } };
  });
}

/** What became of a change that was recorded there, and is settled. */
async function fateOf({ deps: { store } }: Engine, rootId: RootId, seq: number, path: string): Promise<Fate> {
  for (let after = seq; ;) {
    const lines = await store.read(rootId, after, LINES_AT_ONCE);
    for (const { events } of lines)
      for (const event of events) if (event.type === "document.written" && event.path === path) return event.taken ? "taken" : "written";
    const last = lines.at(-1);
    if (!last) return "written"; // there was nothing to change
    after = last.seq + last.events.length - 1;
  }
}

/** Changes by people that are recorded and not known to be written: the file tells which version it is. */
export async function writeDocuments(engine: Engine, rootId: RootId): Promise<void> {
  const unwritten = (await engine.look(rootId, ({ state }) => state.unwritten.filter((one) => one.call === undefined))) ?? [];
  for (const path of new Set(unwritten.map((one) => one.path)))
    await engine.documents.alone(path, () => writeDocument(engine, rootId, path));
}

/** A link in its place stays, and is reported: nothing is written through it, and nobody waits for it to go. */
async function swapUnlessLinked({ deps }: Engine, path: string, from: string, content: string): Promise<Fate> {
  try {
    return await deps.documents.swap(path, from, content);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    deps.report(error, `document ${path}`);
    return "taken";
  }
}

/** Says what became of the last of them. */
async function writeDocument(engine: Engine, rootId: RootId, path: string): Promise<Fate> {
  const { store } = engine.deps;
  const isMine = (one: Unwritten) => one.call === undefined && one.path === path;
  const unwritten = (await engine.look(rootId, ({ state }) => state.unwritten.filter(isMine))) ?? [];
  let fate: Fate = "written";
  for (const { from, to, seq, dialog } of unwritten) {
    const [line] = await store.read(rootId, seq - 1, 1);
    const event = line?.events[seq - line.seq];
    const content = event?.type === "document.changed" ? event.content : undefined;
    fate = content === undefined ? "taken" : await swapUnlessLinked(engine, path, from, content);
    await engine.writer.record(rootId, (tree) => ({
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
