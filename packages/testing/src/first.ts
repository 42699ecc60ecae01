/** The first element; throws if there is none. */
export function first<T>(all: readonly T[]): T {
  const [one] = all;
  if (one === undefined) throw new Error("There is none.");
  return one;
}
