import { dirname } from "node:path/posix";
import { type Section, sectionPath } from "@colloquy/core";
import type { DialogId, RootId } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import type { Commands } from "../engine/commands.ts";
import type { Outcome } from "../engine/commit.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import type { DocumentWriter, Fate } from "./document-writer.ts";
import { fingerprint, linkedDocument } from "./documents.ts";

/** The text that a person wants in a section of the Taskdoc. */
export interface SectionWish {
  readonly dialog: DialogId;
  readonly selector: Section;
  readonly content: string;
  readonly by: string;
  /** The version that the person saw. */
  readonly shown?: string;
  readonly msgId?: string;
}

const LINES_AT_ONCE = 100;

/** What the change needs. */
interface ChangeRoute extends ProjectContext {
  readonly commands: Commands;
  readonly documents: DocumentWriter;
}

/** A person changes a section of the Taskdoc: recorded first, then written. */
export async function changeMind(route: ChangeRoute, rootId: RootId, wish: SectionWish): Promise<Outcome> {
  const { deps, trees, commands, documents } = route;
  const path =
    (await trees.look(rootId, ({ state }) => sectionPath(state.dialogs.get(wish.dialog)?.taskDocPath ?? "", wish.selector))) ?? "";
  return documents.alone(path, async () => {
    await deps.documents.ready?.([dirname(path)]);
    // Earlier changes are written before this one reads the file.
    await documents.write(rootId, path);
    const link = path === "" ? undefined : deps.documents.linkIn(path);
    if (link !== undefined) return { ok: false, refusal: { code: "bad_request", message: linkedDocument(path, link) } };
    const from = path === "" ? "" : (deps.documents.read(path)?.hash ?? "");
    const outcome = await commands.give(rootId, { type: "change_mind", ...wish, from, to: fingerprint(wish.content) });
    if (!outcome.ok) return outcome;
    const settled = await documents.write(rootId, path).catch((error: unknown) => {
      documents.later(rootId); // it is recorded, and will be done
      throw error;
    });
    const isRepeat = outcome.events.length === 0;
    const fate = isRepeat ? await fateOf(deps.store, rootId, outcome.seq, path) : settled;
    if (fate === "written") return outcome;
    const message = `Somebody changed ${path} while this was being written. Theirs stays; look at it, then try again.`;
    return { ok: false, refusal: { code: "document_changed", message } };
  });
}

/** The outcome of a recorded change, once it is final. */
async function fateOf(store: Store, rootId: RootId, seq: number, path: string): Promise<Fate> {
  for (let after = seq; ;) {
    const lines = await store.read(rootId, after, LINES_AT_ONCE);
    for (const { events } of lines)
      for (const event of events) if (event.type === "document.written" && event.path === path) return event.taken ? "taken" : "written";
    const last = lines.at(-1);
    if (!last) return "written"; // there was nothing to change
    after = last.seq + last.events.length - 1;
  }
}
