import { useProjects } from "@colloquy/react";
import { Suspense } from "react";
import { Menu } from "../parts/menu.tsx";
import { whenNeeded } from "../parts/when-needed.ts";
import { useWords } from "../state/appearance.ts";
import { ANSWER_KEYS } from "./answer/use-arming.ts";
import { AnsweredList } from "./answered-list.tsx";
import { InboxEmpty } from "./inbox-empty.tsx";
import { GhostRow, InboxRow } from "./inbox-row.tsx";
import { InboxSections } from "./inbox-sections.tsx";
import { LastAnswer } from "./last-answer.tsx";
import { SkeletonRows } from "./skeleton-rows.tsx";
import { type Inbox, ORDERS } from "./use-inbox.ts";

const UnsettledCalls = whenNeeded(
  () => import("../effects/unsettled-calls.tsx"),
  (module) => module.UnsettledCalls,
);

interface Props {
  readonly inbox: Inbox;
  readonly questionId: string | undefined;
  readonly isPhone: boolean;
}

/** Sections, order, and a row for each question. */
export function InboxList({ inbox, questionId, isPhone }: Props) {
  const words = useWords();
  const { open, section, shown, waiting, showNew, last } = inbox;
  return (
    <section aria-label={words.inbox} {...ANSWER_KEYS} className="flex w-full shrink-0 flex-col border-line sm:w-[380px] sm:border-r">
      <header className="flex h-14 items-center justify-between gap-2 px-4">
        <h1 className="text-base font-semibold">{words.inbox}</h1>
        <span role="status" aria-label={words.sections.open} className="text-[13px] tabular-nums text-muted">
          {open && words.openCount(open.length)}
        </span>
      </header>
      <InboxSections section={section} onSection={inbox.openSection}>
        <OrderMenu inbox={inbox} />
      </InboxSections>
      <div ref={inbox.list} className="relative min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
        {waiting > 0 && (
          <button type="button" className="button sticky top-2 left-1/2 z-10 -translate-x-1/2 rounded-full shadow-md" onClick={showNew}>
            {words.newItems(waiting)} ↑ <kbd>.</kbd>
          </button>
        )}
        {section === "open" && (
          <Suspense fallback={null}>
            <UnsettledCalls />
          </Suspense>
        )}
        {section === "answered" ? <AnsweredList selected={questionId} /> : open === undefined ? <SkeletonRows /> : <Rows inbox={inbox} />}
        {section === "open" && open !== undefined && shown.length === 0 && isPhone && <InboxEmpty />}
      </div>
      {last && <LastAnswer last={last} />}
    </section>
  );
}

function Rows({ inbox }: { readonly inbox: Inbox }) {
  const words = useWords();
  const projects = useProjects();
  const { section, shown, bundle, ghosts, writers } = inbox;
  return (
    <ul aria-label={words.sections[section]}>
      {ghosts.map((question) => (
        <GhostRow key={question.id} question={question} />
      ))}
      {shown.map((one) => (
        <InboxRow
          key={one.key}
          bundle={one}
          isSelected={one.key === bundle?.key}
          hasProjects={(projects?.length ?? 0) > 1}
          writers={one.questions.flatMap(({ id }) => writers[id] ?? [])}
          onSelect={() => inbox.select(one)}
        />
      ))}
      {shown.length === 0 && section === "later" && <li className="p-6 text-center text-muted">{words.empty.later}</li>}
    </ul>
  );
}

function OrderMenu({ inbox: { order, setOrder } }: { readonly inbox: Inbox }) {
  const words = useWords();
  return (
    <Menu
      align="end"
      trigger={
        <button
          type="button"
          className="rounded-md px-2 py-1 text-muted hover:text-ink"
          aria-label={`${words.order}: ${words.orders[order]}`}
        >
          ⇅
        </button>
      }
      items={ORDERS.map((one) => ({ label: `${one === order ? "✓ " : ""}${words.orders[one]}`, onSelect: () => setOrder(one) }))}
    />
  );
}
