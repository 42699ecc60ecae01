/** Hues other than amber and red, which have a meaning. */
const HUES = [172, 262, 215, 130, 310, 195, 240, 100];

const places = new Map<string, number>();

/** Agents get hues in the order of the team, so that neighbours differ. */
export function learnTeam(agentIds: readonly string[]): void {
  agentIds.forEach((id, nth) => places.has(id) || places.set(id, nth));
}

/** The same agent has the same hue everywhere. */
function agentHue(agentId: string): number {
  const place = places.get(agentId);
  if (place !== undefined) return HUES[place % HUES.length] ?? 172;
  let sum = 0;
  for (const letter of agentId) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return HUES[sum % HUES.length] ?? 172;
}

export const agentColour = (agentId: string, isDark: boolean): string =>
  isDark ? `hsl(${agentHue(agentId)} 42% 62%)` : `hsl(${agentHue(agentId)} 50% 29%)`;

export function AgentBadge({ agentId, name, size = 24 }: { readonly agentId: string; readonly name: string; readonly size?: number }) {
  const hue = agentHue(agentId);
  return (
    <span
      aria-hidden="true"
      className="inline-flex shrink-0 items-center justify-center rounded-full font-semibold text-white"
      style={{ width: size, height: size, fontSize: size * 0.45, backgroundColor: `hsl(${hue} 45% 34%)` }}
    >
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
