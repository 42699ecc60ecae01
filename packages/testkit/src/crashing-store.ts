import type { Store } from "@colloquy/store";

export class Crash extends Error {}

/** A store that dies around its nth commit and never works again: `before` loses the commit, `after` keeps it and loses the caller. */
export function crashingStore(
  inner: Store,
  nth: number,
  when: "before" | "after",
): { readonly store: Store; readonly died: Promise<void> } {
  let commits = 0;
  let isDead = false;
  let die = () => {};
  const died = new Promise<void>((resolve) => (die = resolve));
  const store: Store = new Proxy(inner, {
    get(target, property, receiver) {
      if (property !== "commit") {
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === "function" && isDead ? () => never() : value;
      }
      return async (...args: Parameters<Store["commit"]>) => {
        if (isDead) return never();
        const isLast = ++commits === nth;
        if (isLast && when === "before") return end();
        const committed = await target.commit(...args);
        if (isLast) return end();
        // Another commit may have been the last one while this one was on its way.
        return isDead ? never() : committed;
      };
    },
  });
  const end = () => {
    isDead = true;
    die();
    return never();
  };
  return { store, died };
}

/** A dead process answers nobody. */
const never = () => new Promise<never>(() => {});
