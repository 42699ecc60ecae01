import { type ProjectQuestion, useQuestions } from "@colloquy/react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { kept, useKept } from "../state/kept.ts";
import { rememberTree } from "../state/last-tree.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { isAnswerKey } from "./answer/use-arming.ts";
import { type Bundle, bundles, inOrder, type Order } from "./inbox-order.ts";
import type { Section } from "./inbox-sections.tsx";
import { useLater } from "./later.ts";
import { useLastAnswer } from "./last-answer.tsx";
import { decidedHere, type Failure } from "./card/use-question.ts";
import { useSelectedQuestion } from "./use-selected-question.ts";
import { useStanding } from "./use-standing.ts";

const GHOST_MS = 5_000;
export const ORDERS: readonly Order[] = ["frees", "oldest", "newest", "agent", "dialog"];

export interface InboxProps {
  readonly questionId: string | undefined;
  readonly noticeId: string | undefined;
  readonly projectId: string | undefined;
  readonly isPhone: boolean;
}

/** The list of questions, the selected one, and the keys that move through them. */
export function useInbox({ questionId, noticeId, projectId, isPhone }: InboxProps) {
  const { open, closed, writers } = useQuestions();
  const now = useNow(1_000);
  const { section, openSection } = useSection(questionId, noticeId);
  const { order, setOrder } = useOrder();
  const list = useRef<HTMLDivElement>(null);
  const detail = useRef<HTMLDivElement>(null);
  const { last, remember } = useLastAnswer();
  const rows = useRows(open, section === "later", order, last);
  const selected = useSelectedQuestion(questionId, projectId, open, closed);
  useEffect(() => {
    if (selected !== undefined && selected !== "not found") rememberTree(selected.projectId, selected.dialog.rootId);
  }, [selected]);
  const bundle = rows.find(({ questions }) => questions.some(({ id }) => id === questionId));
  const { shown, waiting, showNew } = useStanding(rows, `${order} ${section}`, bundle?.key);
  const place = shown.findIndex(({ key }) => key === bundle?.key);

  const select = (next: Bundle | undefined) => {
    const [first] = next?.questions ?? [];
    if (first) openQuestion(first, questionId === undefined ? "push" : "replace");
  };
  useFirstOpen(!isPhone && questionId === undefined && section === "open", shown[0], select);

  const onDecided = (question: ProjectQuestion, said: string, failures: readonly Failure[]) => {
    remember(question, said, failures);
    const sibling = shown[place]?.questions.find(({ id }) => id !== question.id && !decidedHere.has(id));
    if (sibling) return openQuestion(sibling, "replace");
    const next = kept("autoAdvance") === "off" ? undefined : (shown[place + 1] ?? shown[place - 1]);
    if (next && !isPhone) select(next);
    else go({ page: "inbox" }, "replace");
    detail.current?.scrollTo({ top: 0 });
  };
  const move = (by: number) => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, place + by))];
    select(next);
    list.current?.querySelector<HTMLElement>(`[data-row="${next?.key}"]`)?.scrollIntoView({ block: "nearest" });
  };
  useInboxKeys(section, { move, showNew, list, detail });
  return {
    open,
    writers,
    section,
    openSection,
    order,
    setOrder,
    list,
    detail,
    last,
    selected,
    bundle,
    shown,
    waiting,
    showNew,
    select,
    onDecided,
    /** Questions that somebody else has just decided. */
    ghosts: closed.filter(({ id, answer }) => !decidedHere.has(id) && answer && now - Date.parse(answer.at) < GHOST_MS),
    isListShown: !isPhone || selected === undefined || questionId === undefined,
  };
}

export type Inbox = ReturnType<typeof useInbox>;

export const openQuestion = ({ projectId, id }: ProjectQuestion, how: "push" | "replace"): void =>
  go({ page: "inbox", projectId, questionId: id }, how);

/** The address decides which section is open: that of its question or notice. */
function useSection(questionId: string | undefined, noticeId: string | undefined) {
  const [section, setSection] = useState<Section>(noticeId === undefined ? "open" : "notices");
  useEffect(() => {
    if (noticeId !== undefined) setSection("notices");
    else if (questionId !== undefined) setSection((before) => (before === "notices" ? "open" : before));
  }, [noticeId, questionId]);
  const openSection = (one: Section) => {
    if (one === "notices" || noticeId !== undefined) go({ page: "inbox" });
    setSection(one);
  };
  return { section, openSection };
}

function useOrder() {
  const [kept, setOrder] = useKept("order");
  const order: Order = ORDERS.find((one) => one === kept) ?? "frees";
  return { order, setOrder };
}

/** Wide pages always have an item open; phones show the list first. */
function useFirstOpen(isWanted: boolean, first: Bundle | undefined, select: (first: Bundle) => void): void {
  useEffect(() => {
    if (isWanted && first) select(first);
  }, [isWanted, first?.key]);
}

/** Open questions in order, those that belong together in one row. */
function useRows(open: readonly ProjectQuestion[] | undefined, isLater: boolean, order: Order, last: unknown): readonly Bundle[] {
  const later = useLater();
  const minute = useNow(60_000);
  const mine = useMemo(
    () => open?.filter(({ id }) => !decidedHere.has(id) && (later[id] ?? 0) > Date.now() === isLater),
    // Snoozed questions return by themselves; what was answered here leaves at once.
    [open, later, isLater, last, minute],
  );
  return useMemo(() => bundles(inOrder(mine ?? [], order, Date.now())), [mine, order]);
}

interface KeyTargets {
  readonly move: (by: number) => void;
  readonly showNew: () => void;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly detail: RefObject<HTMLDivElement | null>;
}

function useInboxKeys(section: Section, { move, showNew, list, detail }: KeyTargets): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key } = event;
      if (!isAnswerKey(event) || section === "answered" || section === "notices") return;
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
}
