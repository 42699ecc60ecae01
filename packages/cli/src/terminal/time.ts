const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `0.4 s`, `38 s`, `4 m`, `2 h 14 m`, `3 d 4 h` */
export function span(ms: number): string {
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
  if (ms < DAY) return parts(ms, [HOUR, "h"], [MINUTE, "m"]);
  return parts(ms, [DAY, "d"], [HOUR, "h"]);
}

type Unit = readonly [ms: number, name: string];

function parts(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeName}${rest > 0 ? ` ${rest} ${smallName}` : ""}`;
}

/** How long ago, in one unit: `now`, `38 s`, `4 m`, `2 h`, `1 d`. */
export function ago(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  if (ms < 10 * SECOND) return "now";
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return `${Math.floor(ms / DAY)} d`;
}

/** Wall-clock time: `12:04`, with the date if it isn't today. */
export function clock(iso: string, nowMs: number): string {
  const at = new Date(iso);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return at.toDateString() === new Date(nowMs).toDateString() ? time : `${day} ${time}`;
}

/** When something is due: only the time within a day, else with the date. */
export function dueClock(iso: string, nowMs: number): string {
  const at = new Date(iso);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return Math.abs(at.getTime() - nowMs) < DAY ? time : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** `12:04:31` */
export function clockSeconds(iso: string): string {
  const at = new Date(iso);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
}

const two = (number: number): string => String(number).padStart(2, "0");
