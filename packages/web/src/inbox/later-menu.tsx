import { Menu } from "../parts/menu.tsx";
import { useWords } from "../state/appearance.ts";
import { snooze } from "./later.ts";

const HOUR_MS = 3_600_000;

/** At this hour, so many days from now. */
function at(hours: number, days: number): number {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(hours, 0, 0, 0);
  return date.getTime();
}

/** Puts a question off, in this browser only. */
export function LaterMenu({
  id,
  isOpen,
  setOpen,
}: {
  readonly id: string;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
}) {
  const words = useWords();
  return (
    <Menu
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="button" aria-keyshortcuts="h">
          {words.later} ▾
        </button>
      }
      items={[
        { label: words.laterFor.hour, onSelect: () => snooze(id, Date.now() + HOUR_MS) },
        { label: words.laterFor.evening, onSelect: () => snooze(id, Math.max(at(18, 0), Date.now() + HOUR_MS)) },
        { label: words.laterFor.tomorrow, onSelect: () => snooze(id, at(9, 1)) },
        { label: words.laterFor.week, onSelect: () => snooze(id, at(9, 7)) },
      ]}
    />
  );
}
