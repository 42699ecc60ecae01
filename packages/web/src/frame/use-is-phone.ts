import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 639px)");
const wide = matchMedia("(min-width: 1180px)");

const follow = (query: MediaQueryList) => (listen: () => void) => {
  query.addEventListener("change", listen);
  return () => query.removeEventListener("change", listen);
};

export const useIsPhone = (): boolean => useSyncExternalStore(follow(narrow), () => narrow.matches);
/** Room for two dialogs beside each other. */
export const useIsWide = (): boolean => useSyncExternalStore(follow(wide), () => wide.matches);
