import { Refused } from "@colloquy/schema";
import type { AcpProject } from "./acp-project.ts";

/** What a person decided in the editor. `left`: nothing; the question stays open. */
export type Decision =
  | { readonly type: "left" }
  | { readonly type: "approve" }
  | { readonly type: "approveLike"; readonly pattern: string }
  | { readonly type: "deny" }
  | { readonly type: "dismiss" }
  | { readonly type: "answer"; readonly choice?: readonly string[] | undefined; readonly content?: string | undefined };

/** Carries a decision out, about the version that was shown. */
export async function carryOut(
  project: AcpProject,
  { id, shown }: { readonly id: string; readonly shown: string },
  decision: Decision,
): Promise<void> {
  switch (decision.type) {
    case "left":
      return;
    case "approve":
      return void (await project.approve(id, { shown }));
    case "approveLike":
      return void (await project.approveLike(id, { shown, pattern: decision.pattern }));
    case "deny":
      return void (await project.deny(id, { shown }));
    case "dismiss":
      return void (await project.dismiss(id, {}));
    case "answer": {
      const { choice, content } = decision;
      return void (await project.answer(id, { shown, ...(choice && { choice }), ...(content !== undefined && { content }) }));
    }
  }
}

/** Somebody else was faster, or the question has changed: there is nothing to tell. */
export const isOvertaken = (error: unknown): boolean =>
  error instanceof Refused && (error.code === "question_not_open" || error.code === "question_changed");
