import { useEffect, useSyncExternalStore } from "react";
import { useKept } from "./kept.ts";
import { type Language, type Words, wordsOf } from "../words.ts";

const darkly = matchMedia("(prefers-color-scheme: dark)");

/** `system` follows the operating system. */
export function useTheme(): readonly [theme: string, isDark: boolean, set: (theme: string) => void] {
  const [theme, set] = useKept("theme");
  const systemIsDark = useSyncExternalStore(
    (listen) => {
      darkly.addEventListener("change", listen);
      return () => darkly.removeEventListener("change", listen);
    },
    () => darkly.matches,
  );
  const isDark = theme === "dark" || (theme !== "light" && systemIsDark);
  useEffect(() => {
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }, [isDark]);
  return [theme === "" ? "system" : theme, isDark, (next) => set(next === "system" ? undefined : next)];
}

const own: Language = navigator.language.startsWith("zh") ? "zh" : "en";

export function useLanguage(): readonly [Language, (language: Language) => void] {
  const [language, set] = useKept("language");
  return [language === "zh" || language === "en" ? language : own, set];
}

export function useWords(): Words {
  return wordsOf(useLanguage()[0]);
}
