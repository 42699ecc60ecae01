import { type CopiedDocument, sectionPath, SECTIONS } from "@colloquy/core";
import { type CopySource, type Documents, fingerprint } from "@colloquy/runtime";
import { type RootId, shortId } from "@colloquy/schema";

/** A fork has a Taskdoc of its own, with what stands in the original's now: nothing that it notes changes the original. */
export function copiedTaskdoc(documents: Documents, from: RootId, path: string): Pick<CopySource, "documents" | "rename"> {
  // A path with the tree's id in it is renamed with the ids.
  const isNamedAfterTree = path.includes(from);
  const own = (rootId: RootId) => path.replace(/\.tsk\/?$/, `-${shortId(rootId)}.tsk/`);
  return {
    async documents(target) {
      if (target === path) return [];
      await documents.ready?.([path]);
      return SECTIONS.flatMap((section) => copied(documents, sectionPath(path, section), sectionPath(target, section)));
    },
    ...(!isNamedAfterTree && { rename: (text, rootId) => text.replaceAll(inJson(path), inJson(own(rootId))) }),
  };
}

/** The beginning of a JSON string. */
const inJson = (text: string): string => JSON.stringify(text).slice(0, -1);

function copied(documents: Documents, from: string, path: string): CopiedDocument[] {
  const document = documents.read(from);
  return document ? [{ path, hash: fingerprint(document.text), text: document.text }] : [];
}
