import { useApi, useDialogs } from "@colloquy/react";
import type { EffectView } from "@colloquy/schema";
import { useState } from "react";
import { useFetched } from "../state/use-fetched.ts";

const PAGE = 100;

/** The ledger's newest rows, read again when a dialog has changed. */
export function useEffectList(projectId: string, dialogId: string | undefined) {
  const api = useApi(projectId);
  const [limit, setLimit] = useState(PAGE);
  const [isUnknown, showUnknown] = useState(false);
  const { rows: dialogs } = useDialogs(projectId);
  const changed = dialogs?.reduce((newest, { lastModified }) => (lastModified > newest ? lastModified : newest), "");
  const read = async () => {
    const found: EffectView[] = [];
    for (let after: string | undefined; ;) {
      const { effects, next, isComplete } = await api.effects.list({
        limit: Math.min(500, limit - found.length),
        ...(dialogId !== undefined && { dialog: dialogId }),
        ...(isUnknown && { outcome: "unknown" as const }),
        ...(after !== undefined && { after }),
      });
      found.push(...effects);
      if (next === undefined || found.length >= limit) return { rows: found, hasMore: next !== undefined, isComplete };
      after = next;
    }
  };
  const [list] = useFetched(read, [api, dialogId, limit, isUnknown, changed]);
  return {
    rows: list?.rows,
    hasMore: list?.hasMore === true,
    isComplete: list?.isComplete,
    more: () => setLimit(limit + PAGE),
    isUnknown,
    showUnknown,
  };
}
