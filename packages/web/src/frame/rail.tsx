import { useConnection, useQuestions } from "@colloquy/react";
import type { ReactNode } from "react";
import { Link } from "../parts/link.tsx";
import { useWords } from "../state/appearance.ts";
import type { Route } from "../state/router.ts";

const ICONS = {
  inbox: "M3 12h5l1.5 3h5L16 12h5M3 12l2.6-7h12.8L21 12v6a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z",
  dialogs: "M4 5h16v11H9l-5 4z",
  timeline: "M3 6h9M8 12h11M5 18h8",
  tasks: "M4 5h4v14H4zM10 5h4v9h-4zM16 5h4v6h-4z",
  new: "M12 5v14M5 12h14",
  activity: "M3 12h4l3-7 4 14 3-7h4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM20 20l-4.8-4.8",
  help: "M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 1.9M12 17.3v.1",
} as const;

function Icon({ name, size = 20 }: { readonly name: keyof typeof ICONS; readonly size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={ICONS[name]} />
    </svg>
  );
}

/** Pages that highlight another page's entry. */
const HOMES: Partial<Record<Route["page"], Route["page"]>> = { dialog: "dialogs", task: "tasks", effects: "activity", compare: "dialogs" };

const item = (isHere: boolean): string =>
  `relative flex h-11 w-11 items-center justify-center rounded-xl ${isHere ? "bg-accent-soft text-accent" : "text-muted hover:bg-hover hover:text-ink"}`;

/** Navigation and connection state. On phones it is the bar at the bottom. */
export function Rail({ route, onHelp, onFind }: { readonly route: Route; readonly onHelp: () => void; readonly onFind: () => void }) {
  const words = useWords();
  const { open } = useQuestions();
  const projectId = "projectId" in route && route.projectId !== undefined ? { projectId: route.projectId } : {};
  const here = HOMES[route.page] ?? route.page;
  const place = (page: "inbox" | "dialogs" | "tasks" | "activity" | "new" | "settings", label: string, badge?: ReactNode) => (
    <Link
      to={page === "inbox" || page === "activity" ? { page } : { page, ...projectId }}
      aria-label={label}
      title={label}
      aria-current={here === page ? "page" : undefined}
      className={item(here === page)}
    >
      <Icon name={page} />
      {badge}
    </Link>
  );
  const count = open?.length ?? 0;
  return (
    <nav
      aria-label="Colloquy"
      className="flex shrink-0 items-center gap-1 border-line bg-panel max-sm:h-14 max-sm:justify-around max-sm:border-t max-sm:px-2 sm:w-14 sm:flex-col sm:border-r sm:py-3"
    >
      <span aria-hidden="true" className="mb-2 max-sm:hidden">
        <img src="/icon.svg" alt="" width="28" height="28" />
      </span>
      {place(
        "inbox",
        count > 0 ? `${words.inbox}: ${words.openCount(count)}` : words.inbox,
        count > 0 && (
          <span
            aria-hidden="true"
            className="absolute top-0.5 right-0.5 min-w-4 rounded-full bg-await-line px-1 text-center text-[11px] font-bold leading-4 text-[#241a05]"
          >
            {count}
          </span>
        ),
      )}
      {place("dialogs", words.dialogs)}
      {(route.page === "dialog" || route.page === "timeline") && (
        <Link
          to={{ page: "timeline", projectId: route.projectId, dialogId: route.dialogId }}
          aria-label={words.timeline}
          title={words.timeline}
          aria-current={route.page === "timeline" ? "page" : undefined}
          className={item(route.page === "timeline")}
        >
          <Icon name="timeline" />
        </Link>
      )}
      {place("tasks", words.tasks.title)}
      {place("activity", words.activity)}
      {place("new", words.newDialog)}
      <button type="button" aria-label={words.search} title={words.search} className={item(false)} onClick={onFind}>
        <Icon name="search" />
      </button>
      {place("settings", words.settings)}
      <span className="flex-1 max-sm:hidden" />
      <button type="button" aria-label={words.help} title={words.help} className={`${item(false)} max-sm:hidden`} onClick={onHelp}>
        <Icon name="help" />
      </button>
      <ConnectionDot />
    </nav>
  );
}

function ConnectionDot() {
  const words = useWords();
  const { state, user } = useConnection();
  const label =
    state === "live"
      ? `${words.connection.live}${user === undefined ? "" : ` · ${user}`}`
      : state === "connecting"
        ? words.connection.connecting
        : words.state.interrupted;
  return (
    <span role="img" aria-label={label} title={label} className="flex h-8 w-8 items-center justify-center max-sm:hidden">
      <span className={`text-xs leading-none ${state === "live" ? "text-accent" : "text-muted working"}`}>
        {state === "live" ? "●" : "◌"}
      </span>
    </span>
  );
}
