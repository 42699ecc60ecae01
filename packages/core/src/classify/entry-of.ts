/** A table's own entry under an arbitrary name: `constructor` and `toString` are entries of no table. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
