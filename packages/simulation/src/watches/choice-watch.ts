import { offeredChoices } from "@colloquy/core";
import type { OfferedChoice, TreeEvent, TreeEventOf } from "@colloquy/schema";
import { demand } from "../broken.ts";

/** Choices of the system's questions, read from the log: as offered, and as carried out. */
export class ChoiceWatch {
  readonly #offered = new Map<string, readonly OfferedChoice[]>();

  hear(event: TreeEvent): void {
    if (event.type === "question.asked") this.#offered.set(event.question, offeredChoices(event));
    if (event.type === "question.closed" && event.by !== undefined) this.#demandMeant(event);
  }

  #demandMeant({ question, choice = [], as, more, verdict }: TreeEventOf<"question.closed">): void {
    const [label, ...others] = choice;
    const option = this.#offered.get(question)?.find((one) => one.label === label);
    if (option?.code === undefined || others.length > 0) return;
    const done = `${as} ${verdict ?? ""} ${more ?? ""}`;
    const meant = `answered ${option.code === "closeTask" ? "denied" : ""} ${option.more ?? ""}`;
    demand(done === meant, "SI19", () => `"${label}" of ${question} means ${option.code} (${meant}), and did: ${done}`);
  }
}
