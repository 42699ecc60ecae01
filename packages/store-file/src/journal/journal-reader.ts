import type { Position } from "./journal.ts";
import { type Disk, readWhole, replaceCache } from "../disk/disk.ts";
import type { Layout } from "../disk/layout.ts";
import { type Range, type SlotScan, scanSlot } from "./slot-scan.ts";
import type { FoundSlot } from "./slots.ts";

/** The content of the slots when a store is opened. */
export interface FoundJournal {
  readonly slots: readonly FoundSlot[];
  /** With live records, oldest generation first. */
  readonly scans: readonly (SlotScan & { readonly bytes: Buffer })[];
  readonly last: Position;
  readonly notices: readonly string[];
}

const CHUNK = 1 << 18;

/** `freed`: generations up to this one are in course files and index. */
export function readJournal(disk: Disk, layout: Layout, freed: number): FoundJournal {
  const raw: { n: number; size: number; bytes: Buffer | undefined; scan: SlotScan | undefined }[] = [];
  for (let n = 0, stat = disk.stat(layout.slot(0)); stat; stat = disk.stat(layout.slot((n += 1)))) {
    const bytes = slotBytes(disk, layout.slot(n), stat.size);
    raw.push({ n, size: stat.size, bytes, scan: bytes && scanSlot(bytes, freed) });
  }
  const live = raw.flatMap(({ n, bytes, scan }) => (bytes && scan ? [{ n, bytes, scan }] : []));
  live.sort((a, b) => a.scan.generation - b.scan.generation);

  const notices: string[] = [];
  const scans = live.map(({ n, bytes, scan }, at) => {
    const next = live[at + 1]?.scan.before;
    const whole = next?.generation === scan.generation ? (scanSlot(bytes, freed, next.end) ?? scan) : scan;
    const found = { ...whole, n, bytes };
    notices.push(...setAside(disk, layout, found));
    return found;
  });
  const slots = raw.map(({ n, size, bytes }): FoundSlot => {
    const scan = scans.find((one) => one.n === n);
    return { size, generation: scan?.generation ?? 0, used: bytes?.length ?? 0, live: scan && bytes?.subarray(0, scan.end) };
  });
  const newest = scans.at(-1);
  return { slots, scans, last: newest ? { generation: newest.generation, end: newest.end } : { generation: freed, end: 0 }, notices };
}

/** Undefined if there are only zeros, as after a clean stop. */
function slotBytes(disk: Disk, path: string, size: number): Buffer | undefined {
  const fd = disk.open(path, "read");
  try {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size));
    const zeros = Buffer.alloc(chunk.length);
    for (let at = 0; at < size; at += chunk.length) {
      const read = disk.read(fd, chunk, at);
      if (chunk.compare(zeros, 0, read, 0, read) !== 0) return readWhole(disk, path);
    }
    return undefined;
  } finally {
    disk.close(fd);
  }
}

interface ScannedSlot extends SlotScan {
  readonly n: number;
  readonly bytes: Buffer;
}

function setAside(disk: Disk, layout: Layout, { n, bytes, generation, torn, damaged }: ScannedSlot): string[] {
  const slot = layout.name(layout.slot(n));
  const keep = (kind: string, { from, to }: Range) => {
    const path = `${layout.journal}/${kind}-${generation}-${from}`;
    if (!disk.stat(path)) replaceCache(disk, path, bytes.subarray(from, to));
    return `bytes ${from}–${to} of ${slot} are kept in ${layout.name(path)}`;
  };
  return [
    ...(torn ? [`A crash cut the last write off, before it was accepted: ${keep("torn", torn)}. Nothing that was accepted is lost.`] : []),
    ...damaged.map((range) => `The journal is damaged: ${keep("damaged", range)}. Dialogs that lost events say so; the others continue.`),
  ];
}
