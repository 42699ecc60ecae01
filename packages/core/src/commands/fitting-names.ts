/** Names that match what a person types, best first: consecutive letters before scattered ones, the last part of a path before the rest. */
export function fittingNames(names: readonly string[], typed: string, limit: number): readonly string[] {
  const sought = typed.toLowerCase();
  return names
    .flatMap((name) => {
      const rank = rankOf(name.toLowerCase(), sought);
      return rank === undefined ? [] : [{ name, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

function rankOf(name: string, sought: string): number | undefined {
  const last = name.slice(name.lastIndexOf("/") + 1);
  if (last.startsWith(sought)) return 0;
  if (last.includes(sought)) return 1;
  if (name.includes(sought)) return 2;
  return isInOrder(last, sought) ? 3 : isInOrder(name, sought) ? 4 : undefined;
}

/** Does the name contain all the letters in this order? */
function isInOrder(name: string, sought: string): boolean {
  let at = 0;
  for (const letter of sought) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
