/** As much of a browser as is used here; elsewhere there is none. */
interface Browser extends Partial<Pick<EventTarget, "addEventListener" | "removeEventListener">> {
  readonly document?: EventTarget & { readonly visibilityState: string };
}

/** Calls when the network or the page is there again. Returns the way to stop it. */
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
