import { type Section, sectionPath, SECTIONS } from "@colloquy/core";
import type { Documents } from "@colloquy/runtime";

/** A Taskdoc with the version of each existing section. */
export interface TaskdocView {
  readonly path: string;
  readonly sections: Readonly<Partial<Record<Section, { readonly text: string; readonly shown: string }>>>;
}

export function readTaskdoc(documents: Documents, path: string): TaskdocView {
  const sections = SECTIONS.flatMap((section) => {
    const document = documents.read(sectionPath(path, section));
    return document ? [[section, { text: document.text, shown: document.hash }] as const] : [];
  });
  return { path, sections: Object.fromEntries(sections) };
}
