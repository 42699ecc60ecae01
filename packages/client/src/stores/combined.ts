import { type Observable, Observed } from "../observable.ts";

/** Combines the values of all projects, including later ones, into one. `isWhole`: the list of projects is known. */
export function combined<One, All>(
  projects: Observable<readonly { readonly id: string }[] | undefined>,
  pick: (projectId: string) => Observable<One>,
  merge: (all: readonly (readonly [string, One])[], isWhole: boolean) => All,
): Observable<All> {
  const all = new Observed<All>(merge([], false));
  const watched = new Map<string, () => void>();
  let readers = 0;
  let stop = () => {};
  const gather = () => {
    const ids = projects.getSnapshot()?.map(({ id }) => id);
    all.set(
      merge(
        (ids ?? []).map((id) => [id, pick(id).getSnapshot()] as const),
        ids !== undefined,
      ),
    );
  };
  const look = () => {
    for (const { id } of projects.getSnapshot() ?? []) if (!watched.has(id)) watched.set(id, pick(id).subscribe(gather));
    gather();
  };
  return {
    getSnapshot: all.getSnapshot,
    subscribe: (listener) => {
      const leave = all.subscribe(listener);
      if (++readers === 1) {
        stop = projects.subscribe(look);
        look();
      }
      return () => {
        leave();
        if (--readers > 0) return;
        stop();
        for (const end of watched.values()) end();
        watched.clear();
      };
    },
  };
}
