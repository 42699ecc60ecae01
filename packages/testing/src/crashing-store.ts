import type { Store } from "@colloquy/store";

/** Around which commit a process dies: `before` loses it, `after` keeps it and loses whoever waited for it. */
export interface CrashPoint {
  readonly nth: number;
  readonly when: "before" | "after";
}

export interface CrashingStore {
  readonly store: Store;
  readonly died: Promise<void>;
  readonly die: () => void;
  readonly commits: () => number;
}

/** A store that dies at a point, or when told to, and then answers nobody, as a dead process does. */
export function crashingStore(inner: Store, point?: CrashPoint): CrashingStore {
  let commits = 0;
  let isDead = false;
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const die = () => {
    isDead = true;
    resolve();
  };
  const store: Store = new Proxy(inner, {
    get(target, property, receiver) {
      if (property !== "commit") {
        const value: unknown = Reflect.get(target, property, receiver);
        return typeof value === "function" && isDead ? () => never() : value;
      }
      return async (...args: Parameters<Store["commit"]>) => {
        if (isDead) return never();
        const isLast = ++commits === point?.nth;
        if (isLast && point.when === "before") return end();
        const committed = await target.commit(...args);
        if (isLast) return end();
        // Another commit may have been the last one while this one was on its way.
        return isDead ? never() : committed;
      };
    },
  });
  const end = () => {
    die();
    return never();
  };
  return { store, died, die, commits: () => commits };
}

const never = () => new Promise<never>(() => {});
