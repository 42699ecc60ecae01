import { memoryFolder, type Papers, sectionPath, SECTIONS } from "@colloquy/core";
import type { Documents } from "./documents.ts";

/** Memory beyond this size is listed by name only. */
const MEMORY_CHARACTERS = 24_000;
const NOTES_CHARACTERS = 16_000;

export interface ReadPapers {
  readonly papers: Papers;
  /** The shown version of each document that can be changed. */
  readonly versions: Readonly<Record<string, string>>;
}

/** What an agent reads before the history: project notes, memory up to a size, the Taskdoc. */
export function readPapers(documents: Documents, agent: string, taskDocPath: string): ReadPapers {
  const versions: Record<string, string> = {};
  const taskdoc: Record<string, string> = {};
  for (const section of documents.has(taskDocPath) ? SECTIONS : []) {
    const path = sectionPath(taskDocPath, section);
    const document = documents.read(path);
    if (!document) continue;
    taskdoc[section] = document.text;
    versions[path] = document.hash;
  }
  let left = MEMORY_CHARACTERS;
  const memory: { scope: "team" | "own"; path: string; text: string }[] = [];
  const more: { scope: "team" | "own"; path: string; size: number }[] = [];
  for (const scope of documents.has("memory") ? (["team", "own"] as const) : []) {
    const folder = memoryFolder(scope, agent);
    for (const path of documents.list(folder)) {
      const document = documents.read(`${folder}/${path}`);
      if (!document) continue;
      if (document.text.length > left) {
        more.push({ scope, path, size: document.text.length });
        continue;
      }
      left -= document.text.length;
      memory.push({ scope, path, text: document.text });
      versions[`${folder}/${path}`] = document.hash;
    }
  }
  const notes = documents.read("AGENTS.md")?.text;
  return {
    papers: {
      notes: notes === undefined ? undefined : { text: notes.slice(0, NOTES_CHARACTERS), size: notes.length },
      memory,
      more,
      taskdoc,
    },
    versions,
  };
}
