import { fileDocuments, mirroredDocuments, newAgreement } from "@colloquy/runtime";
import { Refused } from "@colloquy/schema";
import type { Store } from "@colloquy/store";

/** Documents that belong to no tree. */
const SHARED = ["memory", "prd"];

/** A moved project's documents: the files of the folder go to a store that keeps documents, or the other way if the folder lacks them. */
export async function copyDocuments(dir: string, { documents: stored }: Store, taskdocs: readonly string[]): Promise<void> {
  if (!stored) return;
  const differing: string[] = [];
  const report = (message: string) => void differing.push(message);
  await mirroredDocuments({ files: fileDocuments(dir), stored, agreement: newAgreement(), report }).ready?.([...SHARED, ...taskdocs]);
  if (differing.length > 0) throw new Refused({ code: "exists_already", message: differing.join("\n") });
}
