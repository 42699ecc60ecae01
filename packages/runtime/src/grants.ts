import { matches, type ProjectGrant } from "@colloquy/core";
import type { CallPart } from "@colloquy/schema";
import type { RunRef } from "./run-ref.ts";

/** Does one of these let the call run without asking, here and now? */
export function isGranted(grants: readonly ProjectGrant[], { rootId, dialog }: RunRef, part: CallPart, nowMs: number): boolean {
  return grants.some(
    (grant) =>
      (grant.rootId === undefined || grant.rootId === rootId) &&
      (grant.dialog === undefined || grant.dialog === dialog) &&
      (grant.until === undefined || grant.until > nowMs) &&
      matches(grant.pattern, part),
  );
}
