/** The part of a browser used here; outside of browsers it is absent. */
interface Browser extends Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> {
  readonly document?: EventTarget & { readonly visibilityState: string };
}

/** Calls `act` when the network or the page is back. Returns an unsubscribe function. */
export function onReturn(act: () => void): () => void {
  const browser = globalThis as Browser;
  const { document } = browser;
  const seen = () => document?.visibilityState === "visible" && act();
  browser.addEventListener?.("online", act);
  document?.addEventListener("visibilitychange", seen);
  return () => {
    browser.removeEventListener?.("online", act);
    document?.removeEventListener("visibilitychange", seen);
  };
}
