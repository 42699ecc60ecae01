import { useActions, useConnection, useProject } from "@colloquy/react";
import { type KeyboardEvent, useRef, useState } from "react";
import { usePictures } from "../../parts/use-pictures.ts";
import { useWords } from "../../state/appearance.ts";
import { draftKey, useKept } from "../../state/kept.ts";
import type { Loaded } from "../dialog-column.tsx";
import { nodeOf } from "../state-sentence.ts";
import { useVerb } from "../use-verb.ts";
import { answerable } from "./answerable.ts";
import { namedInPassing } from "./completion.ts";
import { useCompleting } from "./use-completing.ts";

const TWICE_MS = 600;

/** The message being written to a dialog, or the answer to its question. */
export function useComposer(projectId: string, { view, tree }: Loaded) {
  const actions = useActions(projectId);
  const { agentName } = useProject(projectId);
  const [draft, setDraft] = useKept(draftKey(view.selfId));
  const { unmentionLast, unmentionAll, ...naming } = useMentions();
  const { mentions, mention } = naming;
  const [isMessage, setMessage] = useState(false);
  const sending = useSending();
  const { act } = useVerb(projectId);
  const field = useRef<HTMLTextAreaElement>(null);
  const images = usePictures((message) => sending.fail(message));
  const completing = useCompleting(projectId, { ref: field, draft, setDraft, mentions, mention });
  const passing = usePassing(projectId, { draft, mentions, agentId: view.agentId });
  const reading = useReading(projectId, { view, tree });
  const question = answerable(view.questions);
  // Messages can have pictures; answers are text only.
  const answered = isMessage || mentions.length > 0 || images.pictures.length > 0 ? undefined : question;

  const write = async (content: string, how: Readonly<Record<string, unknown>>) => {
    if (answered) {
      // A shared question is answered once, in the dialog that asked it first.
      const { id, shares, shown } = answered;
      await actions.questions.answer(shares ?? id, { content, ...(shares === undefined && { shown }) });
    } else {
      const to = mentions.length > 0 && { mentions: [...mentions] };
      await actions.dialogs.send(view.selfId, { content, ...to, ...images.body, ...how });
    }
    setDraft(undefined);
    unmentionAll();
    images.clear();
  };
  const send = async (how: Readonly<Record<string, unknown>> = {}) => {
    const content = draft.trim();
    if (content !== "") await sending.run(() => write(content, how));
  };
  const onKeyDown = useComposerKeys(completing.onKey, {
    send,
    unmentionLast: draft === "" && mentions.length > 0 ? unmentionLast : undefined,
    stop: view.status === "running" && !view.stopped ? () => void act(({ stop }) => stop(view.selfId)) : undefined,
  });
  return {
    draft,
    ...naming,
    images,
    field,
    completing,
    problem: sending.problem,
    question,
    /** The question that these words will answer. */
    answered,
    canSend: !sending.isSending && draft.trim() !== "",
    ...reading,
    passing,
    agentName,
    onKeyDown,
    send,
    sendAndResume: () => void send().then(() => act(({ resume }) => resume(view.selfId))),
    toggleMessage: () => setMessage(!isMessage),
  };
}

/** Who will not read the message soon, or ever. */
function useReading(projectId: string, { view, tree }: Pick<Loaded, "view" | "tree">) {
  const words = useWords();
  const { role } = useConnection();
  const { agentName } = useProject(projectId);
  const waitsFor = nodeOf(tree, view.selfId)?.waitsFor ?? [];
  return {
    isClosed: role === "viewer" || view.status === "archived" || view.runState === "dead",
    waits: waitsFor.map((one) => (one === "person" ? words.stateSentence.person : agentName(one))),
  };
}

function useMentions() {
  const [mentions, setMentions] = useState<readonly string[]>([]);
  const mention = (id: string) => setMentions([...mentions, id]);
  const unmention = (id: string) => setMentions(mentions.filter((one) => one !== id));
  const unmentionLast = () => setMentions(mentions.slice(0, -1));
  const unmentionAll = () => setMentions([]);
  return { mentions, mention, unmention, unmentionLast, unmentionAll };
}

interface Addressing {
  readonly draft: string;
  readonly mentions: readonly string[];
  readonly agentId: string;
}

/** An agent whose name is in the text, but who is not addressed. */
function usePassing(projectId: string, { draft, mentions, agentId }: Addressing) {
  const { settings } = useProject(projectId);
  const others = settings?.agents.filter(({ id }) => !mentions.includes(id) && id !== agentId);
  return namedInPassing(draft, others ?? []);
}

/** One at a time, and why the last one failed. */
function useSending() {
  const words = useWords();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const fail = (message: string) => setProblem(words.refused(message));
  const run = async (send: () => Promise<void>) => {
    if (isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      await send();
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  return { isSending, problem, fail, run };
}

interface KeyActions {
  readonly send: () => Promise<void>;
  /** Absent: there is nothing to do it to. */
  readonly unmentionLast: (() => void) | undefined;
  readonly stop: (() => void) | undefined;
}

/** Enter sends, Backspace in an empty field removes the last agent, Escape twice stops the dialog. */
function useComposerKeys(isUsed: (event: KeyboardEvent) => boolean, { send, unmentionLast, stop }: KeyActions) {
  const escapedAt = useRef(0);
  const [swapped] = useKept("enterBreaks");
  const escape = () => {
    const now = performance.now();
    const isTwice = now - escapedAt.current < TWICE_MS;
    escapedAt.current = now;
    if (isTwice) stop?.();
  };
  return (event: KeyboardEvent) => {
    // Keys belong to the input method while it composes.
    if (event.nativeEvent.isComposing || event.keyCode === 229 || isUsed(event)) return;
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    if (key === "Enter" && (swapped === "" ? !shiftKey && !altKey : ctrlKey || metaKey)) {
      event.preventDefault();
      void send();
    } else if (key === "Backspace") unmentionLast?.();
    else if (key === "Escape") escape();
  };
}

export type Composing = ReturnType<typeof useComposer>;
