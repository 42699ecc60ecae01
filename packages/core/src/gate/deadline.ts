const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** "2h" from now, or an ISO time, in milliseconds. */
export function deadlineMs(text: string, now: number): number {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  return amount !== undefined && unit !== undefined ? now + Number(amount) * UNITS[unit as keyof typeof UNITS] : Date.parse(text);
}
