/** A table's own entry. Inherited names such as `constructor` and `toString` are not entries. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
