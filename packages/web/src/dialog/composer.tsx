import { projectPath, Refusal, useConnection, useDoor, useProject } from "@colloquy/react";
import { useId, useLayoutEffect, useRef, useState } from "react";
import { GrowingField } from "../parts/growing-field.tsx";
import { Menu } from "../parts/menu.tsx";
import { PictureButton, Pictures } from "../parts/pictures.tsx";
import { usePictures } from "../parts/use-pictures.ts";
import { useWords } from "../state/appearance.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { newMsgId } from "@colloquy/schema";
import { Addressed } from "./addressed.tsx";
import { completed, namedInPassing, soughtAt } from "./completion.ts";
import { CompletionList, optionId } from "./completion-list.tsx";
import type { Loaded } from "./dialog-column.tsx";
import { nodeOf } from "./state-sentence.ts";
import { type Completion, useCompletions } from "./use-completions.ts";
import { useVerb } from "./use-verb.ts";

const TWICE_MS = 600;

/** What one writes, who will read it, and when. It answers a question that is open here; it never approves (U-S4). */
export function Composer({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const door = useDoor();
  const { role } = useConnection();
  const { agentName, settings } = useProject(projectId);
  const { view, tree } = dialog;
  const [draft, setDraft] = useKept(draftKey(view.selfId));
  const [mentions, setMentions] = useState<readonly string[]>([]);
  const [isMessage, setMessage] = useState(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { act } = useVerb(projectId, view.selfId);
  const field = useRef<HTMLTextAreaElement>(null);
  /** Where the caret goes once the field has the text: before the next key, which would be put elsewhere. */
  const caretTo = useRef<number>(undefined);
  const escapedAt = useRef(0);
  const [picked, setPicked] = useState(0);
  const [caret, setCaret] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [swapped] = useKept("enterBreaks");
  const images = usePictures((message) => setProblem(words.refused(message)));
  const listId = useId();

  useLayoutEffect(() => {
    const place = caretTo.current;
    if (place === undefined) return;
    caretTo.current = undefined;
    field.current?.focus();
    field.current?.setSelectionRange(place, place);
  });

  const question = view.questions.find(({ kind }) => kind !== "approval");
  // A picture goes with a message; an answer is words.
  const isAnswer = question !== undefined && !isMessage && mentions.length === 0 && images.pictures.length === 0;
  const sought = isClosed ? undefined : soughtAt(draft, caret);
  const offered = useCompletions(projectId, sought, mentions);
  const at = Math.min(picked, offered.length - 1);
  const passing = namedInPassing(
    draft,
    (settings?.agents ?? []).filter(({ id }) => !mentions.includes(id) && id !== view.agentId),
  );

  if (role === "viewer" || view.status === "archived" || view.runState === "dead") {
    return (
      <p className="border-t border-line bg-panel px-5 py-3 text-[13px] text-muted">
        {role === "viewer" ? words.composer.viewer : view.runState === "dead" ? words.stateSentence.dead : words.composer.archived}
      </p>
    );
  }

  const send = async (how: Readonly<Record<string, unknown>> = {}) => {
    const content = draft.trim();
    if (content === "" || isSending) return;
    setSending(true);
    setProblem(undefined);
    const path = projectPath(projectId);
    try {
      if (isAnswer) {
        // A question that another dialog asks as well is answered there, for both.
        const { id, shares, shown } = question;
        const answer = { content, ...(shares === undefined && { shown }), msgId: newMsgId() };
        await door.change("POST", `${path}/questions/${shares ?? id}/answer`, answer);
      } else
        await door.change("POST", `${path}/dialogs/${view.selfId}/messages`, {
          content,
          ...(mentions.length > 0 && { mentions }),
          ...images.body,
          ...how,
          msgId: newMsgId(),
        });
      setDraft(undefined);
      setMentions([]);
      images.clear();
    } catch (error) {
      setProblem(words.refused(error instanceof Refusal ? error.message : String(error)));
    } finally {
      setSending(false);
    }
  };
  const write = (text: string, place: number) => {
    setDraft(text);
    setCaret(place);
    setPicked(0);
    caretTo.current = place;
  };
  const pick = ({ kind, value, label }: Completion) => {
    if (!sought) return;
    const isAddress = kind === "agent" && sought.isAtStart;
    if (isAddress) setMentions([...mentions, value]);
    const { text, caret: place } = completed(draft, sought, isAddress ? "" : kind === "agent" ? `@${label}` : value);
    write(text, place);
  };

  const agent = agentName(view.agentId);
  const waits = (nodeOf(tree, view.selfId)?.waitsFor ?? []).map((one) => (one === "person" ? words.stateSentence.person : agentName(one)));
  const isBusy = view.state === "working";
  const truth = isAnswer
    ? words.composer.asked(question.headline)
    : view.stopped
      ? words.composer.stopped
      : view.status === "completed"
        ? words.composer.done
        : waits.length > 0
          ? words.composer.waits(agent, waits)
          : isBusy
            ? words.composer.busy(agent)
            : words.composer.idle(agent);
  const addressed = mentions.length > 0 ? mentions.map((id) => agentName(id)).join(", ") : agent;
  return (
    <div className="relative border-t border-line bg-panel px-4 pt-3 pb-2 sm:px-5">
      <div className="mx-auto max-w-[820px]">
        {offered.length > 0 && <CompletionList id={listId} completions={offered} picked={at} onPick={pick} />}
        <Addressed mentions={mentions} agentName={agentName} onRemove={(id) => setMentions(mentions.filter((one) => one !== id))} />
        <Pictures pictures={images.pictures} onRemove={images.remove} />
        <div className="flex items-end gap-2">
          <GrowingField
            ref={field}
            value={draft}
            aria-label={isAnswer ? words.yourAnswer : words.composer.label}
            placeholder={isAnswer ? words.yourAnswerHint : words.composer.to(addressed)}
            aria-controls={offered.length > 0 ? listId : undefined}
            aria-activedescendant={offered.length > 0 ? optionId(listId, at) : undefined}
            {...images.handlers}
            onChange={(event) => {
              setDraft(event.target.value);
              setCaret(event.target.selectionStart);
              setClosed(false);
              setPicked(0);
            }}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={(event) => {
              // While an input method is at work its keys are its own.
              if (event.nativeEvent.isComposing || event.keyCode === 229) return;
              const { key } = event;
              if (offered.length > 0 && (key === "Enter" || key === "Tab")) {
                event.preventDefault();
                const chosen = offered[at];
                if (chosen) pick(chosen);
              } else if (offered.length > 0 && (key === "ArrowDown" || key === "ArrowUp")) {
                event.preventDefault();
                setPicked((offered.length + at + (key === "ArrowDown" ? 1 : -1)) % offered.length);
              } else if (offered.length > 0 && key === "Escape") {
                setClosed(true);
              } else if (key === "Enter" && (swapped === "" ? !event.shiftKey && !event.altKey : event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                void send();
              } else if (key === "Backspace" && draft === "" && mentions.length > 0) setMentions(mentions.slice(0, -1));
              else if (key === "Escape") {
                const now = performance.now();
                if (now - escapedAt.current < TWICE_MS && view.status === "running" && !view.stopped) void act("stop");
                else field.current?.blur();
                escapedAt.current = now;
                field.current?.focus();
              }
            }}
          />
          <PictureButton className="h-10 px-2.5" onChoose={images.add} />
          <div className="flex">
            <button
              type="button"
              className={`button button-primary h-10 px-4 ${isAnswer ? "" : "rounded-r-none"}`}
              disabled={isSending || draft.trim() === ""}
              onClick={() => void send()}
            >
              {isAnswer ? words.answer : words.composer.send}
            </button>
            {!isAnswer && (
              <Menu
                align="end"
                trigger={
                  <button
                    type="button"
                    className="button button-primary h-10 rounded-l-none border-l-on-accent/30 px-2"
                    aria-label={words.composer.howToSend}
                    disabled={isSending || draft.trim() === ""}
                  >
                    ▾
                  </button>
                }
                items={[
                  { label: words.composer.sendNow, onSelect: () => void send({ now: true }), isDisabled: waits.length === 0 },
                  { label: words.composer.sendInterrupt, onSelect: () => void send({ interrupt: true }), isDisabled: !isBusy },
                  { label: words.composer.sendResume, onSelect: () => void send().then(() => act("resume")), isDisabled: !view.stopped },
                ]}
              />
            )}
          </div>
        </div>
        <p className="mt-1 flex min-h-5 flex-wrap items-center gap-x-3 text-xs text-muted">
          {problem === undefined ? (
            <span className={isAnswer ? "text-await" : ""}>{truth}</span>
          ) : (
            <span role="alert" className="text-fail">
              {problem}
            </span>
          )}
          {passing && !isAnswer && (
            <button
              type="button"
              className="underline underline-offset-2 hover:text-ink"
              onClick={() => setMentions([...mentions, passing.id])}
            >
              {words.composer.addressHint(passing.name)}
            </button>
          )}
          {question && (
            <button type="button" className="underline underline-offset-2 hover:text-ink" onClick={() => setMessage(!isMessage)}>
              {isAnswer ? words.composer.askedInstead : words.composer.answerInstead}
            </button>
          )}
        </p>
      </div>
    </div>
  );
}
