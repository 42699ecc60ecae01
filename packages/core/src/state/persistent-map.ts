// A map whose old versions stay valid: `set` copies the path to one leaf, not the map. Folding an event must cost only what it touches,
// even in a tree with a thousand dialogs, and a decision may try events on a version that is then thrown away. Implemented as a trie with
// 32 branches over the bits of the key's hash; keys with equal hashes share a leaf. Most maps are small: up to eight entries are kept in a
// plain list, which is faster to search and to copy.

interface Leaf<V> {
  readonly hash: number;
  readonly entries: readonly (readonly [string, V])[];
}
type Branch<V> = readonly (Branch<V> | Leaf<V> | undefined)[];
type Node<V> = Branch<V> | Leaf<V>;
type GrowingBranch<V> = (GrowingBranch<V> | Leaf<V> | undefined)[];

const BITS = 5;
const MASK = 31;
const isBranch = <V>(node: Node<V>): node is Branch<V> => Array.isArray(node);

type Entry<V> = readonly [string, V];

const MAX_FLAT_SIZE = 8;

export class PersistentMap<V> {
  readonly size: number;
  readonly #few: readonly Entry<V>[] | undefined;
  readonly #root: Branch<V>;

  private constructor(few: readonly Entry<V>[] | undefined, root: Branch<V>, size: number) {
    this.#few = few;
    this.#root = root;
    this.size = size;
  }

  static readonly #empty = new PersistentMap<never>([], [], 0);

  static empty<V>(): PersistentMap<V> {
    return PersistentMap.#empty as PersistentMap<V>;
  }

  static from<V>(entries: Iterable<Entry<V>>): PersistentMap<V> {
    let map = PersistentMap.empty<V>();
    const rest = entries[Symbol.iterator]();
    for (let next = rest.next(); !next.done; next = rest.next()) {
      map = map.set(...next.value);
      if (!map.#few) return PersistentMap.#filled(map, rest);
    }
    return map;
  }

  /** The map is not shared yet, so it may be changed in place. */
  static #filled<V>(map: PersistentMap<V>, rest: Iterator<Entry<V>>): PersistentMap<V> {
    const root: GrowingBranch<V> = [];
    let size = 0;
    for (const [key, value] of map.entries()) size += insert(root, hashOf(key), key, value);
    for (let next = rest.next(); !next.done; next = rest.next()) size += insert(root, hashOf(next.value[0]), ...next.value);
    return new PersistentMap<V>(undefined, root, size);
  }

  get(key: string): V | undefined {
    return this.#entry(key)?.[1];
  }

  has(key: string): boolean {
    return this.#entry(key) !== undefined;
  }

  set(key: string, value: V): PersistentMap<V> {
    const few = this.#few;
    if (!few)
      return new PersistentMap<V>(undefined, put(this.#root, hashOf(key), 0, [key, value]), this.has(key) ? this.size : this.size + 1);
    let at = 0;
    while (at < few.length && few[at]?.[0] !== key) at += 1;
    if (at === MAX_FLAT_SIZE) return this.#grown().set(key, value);
    const copy = few.slice();
    copy[at] = [key, value];
    return new PersistentMap<V>(copy, [], copy.length);
  }

  delete(key: string): PersistentMap<V> {
    if (!this.has(key)) return this;
    if (this.#few)
      return new PersistentMap<V>(
        this.#few.filter(([held]) => held !== key),
        [],
        this.size - 1,
      );
    const root = remove(this.#root, hashOf(key), 0, key) ?? [];
    // The threshold is well below the maximum, so that a map around that size is not rebuilt at every change.
    const few = this.size - 1 <= MAX_FLAT_SIZE / 2 ? [...entriesOf(root)] : undefined;
    return new PersistentMap<V>(few, few ? [] : root, this.size - 1);
  }

  /** In no particular order. */
  entries(): IterableIterator<Entry<V>> {
    return this.#few ? this.#few.values() : entriesOf(this.#root);
  }

  values(): IterableIterator<V> {
    return this.#few ? this.#few.map(([, value]) => value).values() : valuesOf(this.#root);
  }

  keys(): IterableIterator<string> {
    return this.#few ? this.#few.map(([key]) => key).values() : keysOf(this.#root);
  }

  #grown(): PersistentMap<V> {
    const root = (this.#few ?? []).reduce<Branch<V>>((branch, entry) => put(branch, hashOf(entry[0]), 0, entry), []);
    return new PersistentMap<V>(undefined, root, this.size);
  }

  #entry(key: string): Entry<V> | undefined {
    if (this.#few) {
      for (const entry of this.#few) if (entry[0] === key) return entry;
      return undefined;
    }
    const hash = hashOf(key);
    let node: Node<V> | undefined = this.#root;
    for (let shift = 0; node !== undefined; shift += BITS) {
      if (!isBranch(node)) return node.hash === hash ? node.entries.find(([held]) => held === key) : undefined;
      node = node[(hash >>> shift) & MASK];
    }
    return undefined;
  }
}

function put<V>(branch: Branch<V>, hash: number, shift: number, entry: Entry<V>): Branch<V> {
  const slot = (hash >>> shift) & MASK;
  const child = branch[slot];
  return replace(branch, slot, child === undefined ? { hash, entries: [entry] } : putInto(child, hash, shift + BITS, entry));
}

function putInto<V>(node: Node<V>, hash: number, shift: number, entry: Entry<V>): Node<V> {
  if (isBranch(node)) return put(node, hash, shift, entry);
  if (node.hash === hash) return { hash, entries: [...node.entries.filter(([held]) => held !== entry[0]), entry] };
  const lowered: (Node<V> | undefined)[] = [];
  lowered[(node.hash >>> shift) & MASK] = node;
  return put(lowered, hash, shift, entry);
}

/** Adds an entry to a trie that is not shared yet. Returns the number of new keys: 0 or 1. */
function insert<V>(root: GrowingBranch<V>, hash: number, key: string, value: V): number {
  let branch = root;
  for (let shift = 0; ; shift += BITS) {
    const slot = (hash >>> shift) & MASK;
    while (branch.length <= slot) branch.push(undefined);
    const child = branch[slot];
    if (child === undefined) {
      branch[slot] = leaf(hash, key, value);
      return 1;
    }
    if (Array.isArray(child)) {
      branch = child;
      continue;
    }
    if (child.hash === hash) {
      const others = child.entries.filter(([held]) => held !== key);
      branch[slot] = { hash, entries: [...others, [key, value]] };
      return others.length === child.entries.length ? 1 : 0;
    }
    const lowered: GrowingBranch<V> = [];
    const below = (child.hash >>> (shift + BITS)) & MASK;
    while (lowered.length <= below) lowered.push(undefined);
    lowered[below] = child;
    branch[slot] = lowered;
    branch = lowered;
  }
}

/** Removes empty branches, so deleted entries take no space. */
function remove<V>(branch: Branch<V>, hash: number, shift: number, key: string): Branch<V> | undefined {
  const slot = (hash >>> shift) & MASK;
  const child = branch[slot];
  if (child === undefined) return branch;
  const without = replace(branch, slot, isBranch(child) ? remove(child, hash, shift + BITS, key) : withoutEntry(child, key));
  return without.some((node) => node !== undefined) ? without : undefined;
}

function withoutEntry<V>({ hash, entries }: Leaf<V>, key: string): Leaf<V> | undefined {
  const left = entries.filter(([held]) => held !== key);
  return left.length > 0 ? { hash, entries: left } : undefined;
}

function replace<V>(branch: Branch<V>, slot: number, node: Node<V> | undefined): Branch<V> {
  const copy = branch.slice();
  while (copy.length <= slot) copy.push(undefined);
  copy[slot] = node;
  return copy;
}

const leaf = <V>(hash: number, key: string, value: V): Leaf<V> => ({ hash, entries: [[key, value]] });

function* entriesOf<V>(node: Node<V>): IterableIterator<Entry<V>> {
  if (!isBranch(node)) return yield* node.entries;
  for (const child of node) if (child !== undefined) yield* entriesOf(child);
}

function* valuesOf<V>(node: Node<V>): IterableIterator<V> {
  for (const [, value] of entriesOf(node)) yield value;
}

function* keysOf<V>(node: Node<V>): IterableIterator<string> {
  for (const [key] of entriesOf(node)) yield key;
}

/** Hashes only the last characters, where ids differ. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5 ^ key.length;
  for (let i = Math.max(0, key.length - 24); i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}
