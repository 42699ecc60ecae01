import { useMemo, useRef, useState } from "react";
import { type Bundle, type Standing, standing } from "./inbox-order.ts";

const inPlace = (rows: readonly Bundle[]): Standing => ({ keys: rows.map(({ key }) => key), waiting: [] });

/** The rows in their displayed order: arrivals don't move the selected row (U-S1). A new `list` starts over. */
export function useStanding(rows: readonly Bundle[], list: string, selectedKey: string | undefined) {
  const stood = useRef<Standing>({ keys: [], waiting: [] });
  const stoodFor = useRef("");
  const [asked, ask] = useState(0);
  const view = useMemo(() => {
    const isNew = stoodFor.current !== list;
    stoodFor.current = list;
    const { keys } = inPlace(rows);
    stood.current = isNew ? inPlace(rows) : standing(stood.current, keys, selectedKey);
    return stood.current;
  }, [rows, list, selectedKey, asked]);
  return {
    shown: view.keys.flatMap((key) => rows.find((row) => row.key === key) ?? []),
    waiting: view.waiting.length,
    showNew: () => {
      stoodFor.current = "";
      ask((count) => count + 1);
    },
  };
}
