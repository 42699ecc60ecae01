import type { ProjectAccess } from "../access/project-access.ts";
import { isMain, type DialogAddress } from "./ids.ts";

/** A dialog's answer: the text with which its last turn ended. */
export async function lastWords(project: ProjectAccess, place: DialogAddress): Promise<string> {
  if (isMain(place)) return project.lastWords(place.rootId);
  const events = (await project.events(place.rootId)).flatMap((line) => line.events);
  const last = events.findLast((event) => event.type === "step.ended" && event.dialog === place.selfId && event.ends === true);
  if (last?.type !== "step.ended") return "";
  if (last.whole !== undefined) return last.whole;
  return last.parts
    .flatMap((part) => ("saying" in part ? [part.saying] : []))
    .join("\n\n")
    .trim();
}
