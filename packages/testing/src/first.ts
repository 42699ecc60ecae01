/** The first of what must be there. */
export function first<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined) throw new Error("There is none.");
  return one;
}
