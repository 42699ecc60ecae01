import { type ProjectQuestion, readQuestion, useDoor, useProjects, useQuestions } from "@colloquy/react";
import { useEffect, useMemo, useRef, useState } from "react";
import { NoticesView } from "../notices/notices-view.tsx";
import { Menu } from "../parts/menu.tsx";
import { useWords } from "../state/appearance.ts";
import { kept, useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { rememberTree } from "../state/last-tree.ts";
import { go } from "../state/router.ts";
import { ANSWER_KEYS, isAnswerKey } from "./answer/use-arming.ts";
import { AnsweredList } from "./answered-list.tsx";
import { alikeOf, type Bundle, bundles, inOrder, type Order, type Standing, standing } from "./inbox-order.ts";
import { InboxEmpty } from "./inbox-empty.tsx";
import { GhostRow, InboxRow } from "./inbox-row.tsx";
import { InboxSections, type Section } from "./inbox-sections.tsx";
import { useLater } from "./later.ts";
import { LastAnswer, useLastAnswer } from "./last-answer.tsx";
import { QuestionCard } from "./question-card.tsx";
import { decidedHere, type Failure } from "./use-question.ts";

const GHOST_MS = 5_000;
const ORDERS: readonly Order[] = ["frees", "oldest", "newest", "agent", "dialog"];

/** Every question of every project, what frees most work first. */
export function InboxPage({
  questionId,
  noticeId,
  projectId,
  isPhone,
}: {
  readonly questionId: string | undefined;
  readonly noticeId: string | undefined;
  readonly projectId: string | undefined;
  readonly isPhone: boolean;
}) {
  const words = useWords();
  const { open, closed, writers } = useQuestions();
  const projects = useProjects();
  const now = useNow(1_000);
  const later = useLater();
  const [section, setSection] = useState<Section>(noticeId === undefined ? "open" : "notices");
  const [orderKept, setOrder] = useKept("order");
  const order: Order = ORDERS.find((one) => one === orderKept) ?? "frees";
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLDivElement>(null);
  const { last, remember } = useLastAnswer();

  const mine = useMemo(
    () => open?.filter(({ id }) => !decidedHere.has(id) && (later[id] ?? 0) > now === (section === "later")),
    // What is put off comes back by itself; a minute is soon enough.
    [open, later, section, last, Math.floor(now / 60_000)],
  );
  const rows = useMemo(() => bundles(inOrder(mine ?? [], order, Date.now())), [mine, order]);
  const ghosts = closed.filter(({ id, answer }) => !decidedHere.has(id) && answer && now - Date.parse(answer.at) < GHOST_MS);

  const selected = useSelected(questionId, projectId, open, closed);
  useEffect(() => {
    if (selected !== undefined && selected !== "not found") rememberTree(selected.projectId, selected.dialog.rootId);
  }, [selected]);
  const selectedKey = rows.find(({ questions }) => questions.some(({ id }) => id === questionId))?.key;
  const stood = useRef<Standing>({ keys: [], waiting: [] });
  const stoodFor = useRef("");
  const view = useMemo(() => {
    const isNew = stoodFor.current !== `${order} ${section}`;
    stoodFor.current = `${order} ${section}`;
    stood.current = isNew
      ? { keys: rows.map(({ key }) => key), waiting: [] }
      : standing(
          stood.current,
          rows.map(({ key }) => key),
          selectedKey,
        );
    return stood.current;
  }, [rows, order, section, selectedKey]);
  const shown = view.keys.flatMap((key) => rows.find((row) => row.key === key) ?? []);
  const [, again] = useState(0);
  const showNew = () => {
    stood.current = { keys: rows.map(({ key }) => key), waiting: [] };
    stoodFor.current = "";
    again((count) => count + 1);
    setSelected(shown.find(({ key }) => key === selectedKey));
  };

  const setSelected = (bundle: Bundle | undefined) => {
    const [first] = bundle?.questions ?? [];
    if (first) go({ page: "inbox", projectId: first.projectId, questionId: first.id }, questionId === undefined ? "push" : "replace");
  };
  // On a wide page something is always open; on a phone the list comes first.
  useEffect(() => {
    if (!isPhone && questionId === undefined && section === "open" && shown[0]) setSelected(shown[0]);
  }, [isPhone, questionId, section, shown[0]?.key]);

  const move = (by: number) => {
    const place = shown.findIndex(({ key }) => key === selectedKey);
    const next = shown[Math.max(0, Math.min(shown.length - 1, place + by))];
    setSelected(next);
    list.current?.querySelector<HTMLElement>(`[data-row="${next?.key}"]`)?.scrollIntoView({ block: "nearest" });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isAnswerKey(event) || section === "answered" || section === "notices") return;
      const { key } = event;
      if (key === "j" || key === "ArrowDown") move(1);
      else if (key === "k" || key === "ArrowUp") move(-1);
      else if (key === ".") showNew();
      else if (key === "Enter" && list.current?.contains(document.activeElement)) detail.current?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  const onDecided = (question: ProjectQuestion, said: string, failures: readonly Failure[]) => {
    remember(question, said, failures);
    const place = shown.findIndex(({ key }) => key === selectedKey);
    const bundle = shown[place];
    const sibling = bundle?.questions.find(({ id }) => id !== question.id && !decidedHere.has(id));
    if (sibling) return go({ page: "inbox", projectId: sibling.projectId, questionId: sibling.id }, "replace");
    const next = kept("autoAdvance") === "off" ? undefined : (shown[place + 1] ?? shown[place - 1]);
    if (next && !isPhone) setSelected(next);
    else go({ page: "inbox" }, "replace");
    detail.current?.scrollTo({ top: 0 });
  };

  const openSection = (one: Section) => {
    if (one === "notices" || noticeId !== undefined) go({ page: "inbox" });
    setSection(one);
  };
  // An address says what is open, wherever one comes from.
  useEffect(() => {
    if (noticeId !== undefined) setSection("notices");
    else if (questionId !== undefined) setSection((before) => (before === "notices" ? "open" : before));
  }, [noticeId, questionId]);
  if (section === "notices") return <NoticesView noticeId={noticeId} isPhone={isPhone} onSection={openSection} />;

  const hasDetail = selected !== undefined;
  const isListShown = !isPhone || !hasDetail || questionId === undefined;
  const bundle = rows.find(({ key }) => key === selectedKey);
  const together = bundle?.questions ?? (selected && selected !== "not found" ? [selected] : []);
  return (
    <div className="flex h-full min-w-0 flex-1">
      {isListShown && (
        <section aria-label={words.inbox} {...ANSWER_KEYS} className="flex w-full shrink-0 flex-col border-line sm:w-[380px] sm:border-r">
          <header className="flex h-14 items-center justify-between gap-2 px-4">
            <h1 className="text-base font-semibold">{words.inbox}</h1>
            <span role="status" aria-label={words.sections.open} className="text-[13px] tabular-nums text-muted">
              {open && words.openCount(open.length)}
            </span>
          </header>
          <InboxSections section={section} onSection={openSection}>
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
          </InboxSections>
          <div ref={list} className="relative min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
            {view.waiting.length > 0 && (
              <button type="button" className="button sticky top-2 left-1/2 z-10 -translate-x-1/2 rounded-full shadow-md" onClick={showNew}>
                {words.newItems(view.waiting.length)} ↑ <kbd>.</kbd>
              </button>
            )}
            {section === "answered" ? (
              <AnsweredList selected={questionId} />
            ) : open === undefined ? (
              <SkeletonRows />
            ) : (
              <ul aria-label={words.sections[section]}>
                {ghosts.map((question) => (
                  <GhostRow key={question.id} question={question} />
                ))}
                {shown.map((one) => (
                  <InboxRow
                    key={one.key}
                    bundle={one}
                    isSelected={one.key === selectedKey}
                    hasProjects={(projects?.length ?? 0) > 1}
                    writers={one.questions.flatMap(({ id }) => writers[id] ?? [])}
                    onSelect={() => setSelected(one)}
                  />
                ))}
                {shown.length === 0 && section === "later" && <li className="p-6 text-center text-muted">{words.empty.later}</li>}
              </ul>
            )}
            {section === "open" && open !== undefined && shown.length === 0 && isPhone && <InboxEmpty />}
          </div>
          {last && <LastAnswer last={last} />}
        </section>
      )}
      {(!isPhone || !isListShown) && (
        <section
          ref={detail}
          aria-label={words.kinds.question}
          tabIndex={-1}
          {...ANSWER_KEYS}
          className="min-w-0 flex-1 overflow-y-auto outline-none"
        >
          {isPhone && <h1 className="sr-only">{words.inbox}</h1>}
          {isPhone && (
            <button type="button" className="button button-plain m-2" onClick={() => go({ page: "inbox" })}>
              ← {words.back}
            </button>
          )}
          {selected === "not found" ? (
            <p className="p-10 text-center text-muted">{words.notFoundQuestion}</p>
          ) : selected ? (
            <div className="px-4 pt-2 sm:px-8 sm:pt-8">
              {together.map((question, nth) => (
                <div
                  key={question.id}
                  className={nth > 0 ? "mt-10 border-t border-line pt-8" : ""}
                  // Whichever of several one turns to is the one that keys answer.
                  onFocus={() =>
                    question.id !== selected.id && go({ page: "inbox", projectId: question.projectId, questionId: question.id }, "replace")
                  }
                >
                  <QuestionCard
                    question={question}
                    isActive={question.id === selected.id}
                    alike={bundle && alikeOf(question, bundle)}
                    onDecided={onDecided}
                  />
                </div>
              ))}
            </div>
          ) : (
            open !== undefined && <InboxEmpty />
          )}
        </section>
      )}
    </div>
  );
}

/** The question of the address: open, just closed, or fetched because it ended long ago. */
function useSelected(
  questionId: string | undefined,
  projectId: string | undefined,
  open: readonly ProjectQuestion[] | undefined,
  closed: readonly ProjectQuestion[],
): ProjectQuestion | "not found" | undefined {
  const door = useDoor();
  const known = open?.find(({ id }) => id === questionId) ?? closed.find(({ id }) => id === questionId);
  const [fetched, setFetched] = useState<{ readonly id: string; readonly question: ProjectQuestion | "not found" }>();
  const isWanted = questionId !== undefined && projectId !== undefined && known === undefined && open !== undefined;
  useEffect(() => {
    if (!isWanted) return;
    readQuestion(door, projectId, questionId)
      .then((question) => setFetched({ id: questionId, question }))
      .catch(() => setFetched({ id: questionId, question: "not found" }));
  }, [isWanted, door, projectId, questionId]);
  if (questionId === undefined) return undefined;
  return known ?? (fetched?.id === questionId ? fetched.question : undefined);
}

function SkeletonRows() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 300);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div aria-hidden="true" className="flex flex-col gap-3 p-4">
      {[0, 1, 2].map((nth) => (
        <div key={nth} className="skeleton h-12" />
      ))}
    </div>
  );
}
