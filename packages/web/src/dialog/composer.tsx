import { projectPath, Refusal, useConnection, useDoor, useProject } from "@colloquy/react";
import { useRef, useState } from "react";
import { GrowingField } from "../parts/growing-field.tsx";
import { Menu } from "../parts/menu.tsx";
import { useWords } from "../state/appearance.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { newMsgId } from "../state/msg-id.ts";
import type { Loaded } from "./dialog-column.tsx";
import { mentionAt, withoutMention } from "./mention.ts";
import { nodeOf } from "./state-sentence.ts";
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
  const escapedAt = useRef(0);
  const [picked, setPicked] = useState(0);

  const question = view.questions.find(({ kind }) => kind !== "approval");
  const isAnswer = question !== undefined && !isMessage && mentions.length === 0;
  const sought = mentionAt(draft);
  const team = settings?.agents ?? [];
  const offered =
    sought === undefined
      ? []
      : team.filter(
          ({ id, name }) => !mentions.includes(id) && [id, name].some((one) => one.toLowerCase().startsWith(sought.toLowerCase())),
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
      if (isAnswer)
        await door.change("POST", `${path}/questions/${question.id}/answer`, { content, shown: question.shown, msgId: newMsgId() });
      else
        await door.change("POST", `${path}/dialogs/${view.selfId}/messages`, {
          content,
          ...(mentions.length > 0 && { mentions }),
          ...how,
          msgId: newMsgId(),
        });
      setDraft(undefined);
      setMentions([]);
    } catch (error) {
      setProblem(words.refused(error instanceof Refusal ? error.message : String(error)));
    } finally {
      setSending(false);
    }
  };
  const pick = (id: string) => {
    setMentions([...mentions, id]);
    setDraft(withoutMention(draft));
    setPicked(0);
    field.current?.focus();
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
        {offered.length > 0 && (
          <div role="listbox" aria-label={words.composer.addressed} className="menu absolute bottom-full left-5 mb-1">
            {offered.map(({ id, name, role: about }, nth) => (
              <div
                key={id}
                role="option"
                aria-selected={nth === picked}
                className="menu-item"
                data-highlighted={nth === picked ? "" : undefined}
                onClick={() => pick(id)}
              >
                <span className="font-medium">{name}</span>
                <span className="max-w-64 truncate text-xs text-muted">{about}</span>
              </div>
            ))}
          </div>
        )}
        {mentions.length > 0 && (
          <div className="mb-1.5 flex flex-wrap items-center gap-1.5 text-[13px]">
            <span className="text-muted">{words.composer.addressed}</span>
            {mentions.map((id) => (
              <button
                key={id}
                type="button"
                className="rounded-full bg-accent-soft px-2.5 py-0.5 text-accent"
                aria-label={words.composer.remove(agentName(id))}
                onClick={() => setMentions(mentions.filter((one) => one !== id))}
              >
                {agentName(id)} ✕
              </button>
            ))}
          </div>
        )}
        <div className="flex items-end gap-2">
          <GrowingField
            ref={field}
            value={draft}
            aria-label={isAnswer ? words.yourAnswer : words.composer.label}
            placeholder={isAnswer ? words.yourAnswerHint : words.composer.to(addressed)}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              // While an input method is at work its keys are its own.
              if (event.nativeEvent.isComposing || event.keyCode === 229) return;
              const { key } = event;
              if (offered.length > 0 && (key === "Enter" || key === "Tab")) {
                event.preventDefault();
                const chosen = offered[Math.min(picked, offered.length - 1)];
                if (chosen) pick(chosen.id);
              } else if (offered.length > 0 && (key === "ArrowDown" || key === "ArrowUp")) {
                event.preventDefault();
                setPicked((offered.length + picked + (key === "ArrowDown" ? 1 : -1)) % offered.length);
              } else if (key === "Enter" && !event.shiftKey && !event.altKey) {
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
