import type { Store } from "@colloquy/store";

/** The commit at which a process dies. `before`: the commit is lost. `after`: it is kept, but nobody gets the answer. */
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

/** A store that dies at a given point, or when told to. Like a dead process, it then never answers. */
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
        // The store may have died at another commit while this one was in progress.
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
