import { useConnection } from "@colloquy/react";
import { useCallback, useEffect, useRef, useState } from "react";

/** Numbers reads in the order they begin. Answers may come in another order: an older read never replaces a newer one. */
export class ReadOrder {
  #begun = 0;
  #shown = 0;

  /** Returns whether the answer to the read that begins now may be shown; to be called when it is there. */
  begin(): () => boolean {
    const nth = ++this.#begun;
    return () => {
      if (nth < this.#shown) return false;
      this.#shown = nth;
      return true;
    };
  }
}

/**
 * Something read from the server: at first, when one of `changes` changes, and again once the connection is back if a read failed.
 * The returned function reads it again; it rejects if that fails.
 */
export function useFetched<Value>(
  read: () => Promise<Value>,
  changes: readonly unknown[],
): readonly [value: Value | undefined, reload: () => Promise<void>] {
  const [value, setValue] = useState<Value>();
  const [hasFailed, setFailed] = useState(false);
  const [order] = useState(() => new ReadOrder());
  const isLive = useConnection().state === "live";
  const newest = useRef(read);
  newest.current = read;
  const reload = useCallback(async () => {
    const mayShow = order.begin();
    const found = await newest.current();
    if (mayShow()) setValue(found);
  }, [order]);
  useEffect(() => {
    reload().then(
      () => setFailed(false),
      () => setFailed(true), // the connection bar says so
    );
  }, [...changes, reload, hasFailed && isLive]);
  return [value, reload];
}
