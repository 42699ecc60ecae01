import { useConnection, useProject } from "@colloquy/react";
import { useEffect, useState } from "react";
import { Link } from "../parts/link.tsx";
import { Menu, type MenuItem } from "../parts/menu.tsx";
import { Problem } from "../parts/problem.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { WhyDialog } from "../parts/why-dialog.tsx";
import { useWords } from "../state/appearance.ts";
import { duration, money, short } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";
import type { ColumnProps, Loaded } from "./dialog-column.tsx";
import { asksThrough, pathTo, stateSentence } from "./state-sentence.ts";
import { useVerb } from "./use-verb.ts";

export function DialogHeader({
  projectId,
  dialogId,
  dialog,
  isPhone,
  isMain = false,
  hasPanel = false,
  onPanel,
  onClose,
}: ColumnProps & { readonly dialog: Loaded }) {
  const words = useWords();
  const { role } = useConnection();
  const { agentName, settings } = useProject(projectId);
  const { view } = dialog;
  const { act, problem } = useVerb(projectId, dialogId);
  const [asked, ask] = useState<"none" | "dead" | "archive" | "clear">("none");
  const path = pathTo(dialog.tree, dialogId);
  const asker = path.at(-2);
  const through = asksThrough(dialog);
  useEffect(() => {
    if (!isMain || !asker) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "u" || !isPlainKey(event) || isTextField(document.activeElement as HTMLElement | null)) return;
      go({ page: "dialog", projectId, dialogId: asker.selfId });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isMain, asker?.selfId, projectId]);

  const isSide = view.supdialogId !== undefined;
  const isOver = view.status !== "running";
  const items: readonly MenuItem[] = [
    { label: words.timeline, onSelect: () => go({ page: "timeline", projectId, dialogId: view.rootId }) },
    { label: words.dialog.clearMind, onSelect: () => ask("clear"), isDisabled: isOver },
    { label: words.dialog.stopTree, onSelect: () => void act("stop", { tree: true }), isDisabled: isOver, isApart: true },
    ...(isSide ? [] : [{ label: words.dialog.done, onSelect: () => void act("done"), isDisabled: isOver }]),
    ...(isSide || role !== "owner"
      ? []
      : [{ label: `${words.dialog.archive} …`, onSelect: () => ask("archive"), isDisabled: view.status === "archived" }]),
    ...(isSide && role === "owner"
      ? [{ label: `${words.dialog.dead} …`, onSelect: () => ask("dead"), isDisabled: view.runState === "dead" }]
      : []),
  ];
  return (
    <header className="border-b border-line bg-panel px-4 py-2 sm:px-5">
      {(path.length > 1 || isPhone) && (
        <nav aria-label={words.dialogs} className="flex items-center gap-1.5 text-xs text-muted">
          {isPhone && (
            <Link to={{ page: "dialogs", projectId }} className="-my-1 mr-1 py-1">
              ← {words.dialogs}
            </Link>
          )}
          {path.slice(0, -1).map((node) => (
            <span key={node.selfId} className="flex min-w-0 items-center gap-1.5">
              <Link to={{ page: "dialog", projectId, dialogId: node.selfId }} className="max-w-48 truncate hover:text-ink hover:underline">
                {agentName(node.agentId)} · {node.title}
              </Link>
              <span aria-hidden="true">→</span>
            </span>
          ))}
        </nav>
      )}
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <Title title={view.title} isMain={isMain} mayRename={role !== "viewer"} onRename={(title) => act("", { title }, "PATCH")} />
          <p className="flex items-center gap-1 truncate text-[13px] text-muted">
            <StateGlyph state={through ? "asking" : view.state} />
            {through ? (
              <span className="truncate">
                {!isPhone &&
                  words.stateSentence.through(
                    agentName(view.agentId),
                    through.path.map(({ agentId }) => agentName(agentId)).join(" → "),
                  )}{" "}
                <Link
                  to={{ page: "inbox", projectId, questionId: through.id }}
                  className="written underline underline-offset-2 hover:text-ink"
                >
                  {through.headline}
                </Link>
              </span>
            ) : (
              <span className="truncate">{stateSentence(dialog, words, agentName)}</span>
            )}
            {view.branch !== undefined && <span className="shrink-0">· {words.dialog.branch(view.branch)}</span>}
            <Elapsed dialog={dialog} />
          </p>
        </div>
        <Gauge
          dialog={dialog}
          windowOf={(model) =>
            settings?.models.find(({ name, id }) => name === model || id === model || model.endsWith(`/${id}`))?.contextWindow
          }
          context={settings?.context}
        />
        <span className="text-right text-xs tabular-nums text-muted max-md:hidden">
          {view.usage.cost !== undefined && <span className="block">{money(view.usage.cost)}</span>}
          {view.usage.tokens > 0 && <span className="block">{words.dialog.tokens(short(view.usage.tokens))}</span>}
        </span>
        {view.phase !== "chat" && (
          <span className="rounded-full border border-line px-2 py-0.5 text-xs text-muted max-md:hidden">
            {words.dialog.phases[view.phase] ?? view.phase}
          </span>
        )}
        {role !== "viewer" &&
          !isOver &&
          (view.stopped ? (
            <button type="button" className="button button-primary" onClick={() => void act("resume")}>
              {words.dialog.resume}
            </button>
          ) : (
            view.state !== "resting" && (
              <button type="button" className="button" onClick={() => void act("stop")}>
                {words.dialog.stop}
              </button>
            )
          ))}
        <Menu
          align="end"
          trigger={
            <button type="button" className="button px-2.5" aria-label={words.more}>
              ⋯
            </button>
          }
          items={items}
        />
        {onPanel && (
          <button
            type="button"
            className="button px-2.5"
            aria-label={hasPanel ? words.panel.close : words.panel.open}
            aria-pressed={hasPanel}
            onClick={onPanel}
          >
            ◨
          </button>
        )}
        {onClose && (
          <button type="button" className="button button-plain px-2" aria-label={words.close} onClick={onClose}>
            ✕
          </button>
        )}
      </div>
      <Problem text={problem} className="mt-1" />
      {asked === "dead" && (
        <WhyDialog
          title={words.dialog.deadTitle}
          text={words.dialog.deadText(asker ? agentName(asker.agentId) : "–")}
          action={words.dialog.dead}
          onClose={() => ask("none")}
          onGo={async () => {
            ask("none");
            await act("dead");
          }}
        />
      )}
      {asked === "archive" && (
        <WhyDialog
          title={words.dialog.archiveTitle}
          text={words.dialog.archiveText}
          action={words.dialog.archive}
          onClose={() => ask("none")}
          onGo={async () => {
            ask("none");
            await act("archive");
          }}
        />
      )}
      {asked === "clear" && (
        <WhyDialog
          title={words.dialog.clearMindTitle}
          text={words.dialog.clearMindText}
          label={words.dialog.clearMindReminder}
          action={words.dialog.clearMind}
          onClose={() => ask("none")}
          onGo={async (reminder) => {
            ask("none");
            await act("clear-mind", reminder === "" ? {} : { reminder });
          }}
        />
      )}
    </header>
  );
}

function Title({
  title,
  isMain,
  mayRename,
  onRename,
}: {
  readonly title: string;
  readonly isMain: boolean;
  readonly mayRename: boolean;
  readonly onRename: (title: string) => Promise<boolean>;
}) {
  const words = useWords();
  const [draft, setDraft] = useState<string>();
  const Heading = isMain ? "h1" : "h2";
  if (draft === undefined) {
    return (
      <Heading className="truncate font-semibold">
        {mayRename ? (
          <button type="button" className="max-w-full truncate text-left" title={words.dialog.rename} onClick={() => setDraft(title)}>
            {title}
          </button>
        ) : (
          title
        )}
      </Heading>
    );
  }
  const save = async () => {
    const next = draft.trim();
    setDraft(undefined);
    if (next !== "" && next !== title) await onRename(next);
  };
  return (
    <input
      autoFocus
      className="field py-0.5! font-semibold"
      aria-label={words.dialog.rename}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") void save();
        if (event.key === "Escape") setDraft(undefined);
      }}
    />
  );
}

function Elapsed({ dialog }: { readonly dialog: Loaded }) {
  const words = useWords();
  const now = useNow(1_000);
  const { view, saying, tools } = dialog;
  const since =
    tools[view.selfId]?.at(-1)?.startedAt ??
    saying[view.selfId]?.startedAt ??
    (view.stopped
      ? Date.parse(view.stopped.at)
      : view.questions[0]
        ? Date.parse(view.questions[0].askedAt)
        : view.pending[0]
          ? Date.parse(view.pending[0].askedAt)
          : undefined);
  if (since === undefined || now - since < 1_000) return null;
  return <span className="shrink-0 tabular-nums">· {duration(now - since, words)}</span>;
}

/** How full the agent's context is: a ring, with the numbers in words. */
function Gauge({
  dialog,
  windowOf,
  context,
}: {
  readonly dialog: Loaded;
  readonly windowOf: (model: string) => number | undefined;
  readonly context: { readonly soft: number; readonly hard: number } | undefined;
}) {
  const words = useWords();
  const step = dialog.events.findLast(
    ({ event }) => event.type === "step.ended" && (event.dialog as string) === dialog.view.selfId && event.usage !== undefined,
  )?.event;
  if (step?.type !== "step.ended" || !step.usage || step.model === undefined) return null;
  const whole = windowOf(step.model);
  if (whole === undefined) return null;
  const used = step.usage.input + step.usage.output;
  const share = Math.min(1, used / whole);
  const isFull = context !== undefined && share >= context.soft;
  const label = words.dialog.context(short(used), short(whole));
  return (
    <svg role="img" aria-label={label} width="22" height="22" viewBox="0 0 22 22" className="max-md:hidden">
      <title>{label}</title>
      <circle cx="11" cy="11" r="8.5" fill="none" stroke="var(--line)" strokeWidth="3" />
      <circle
        cx="11"
        cy="11"
        r="8.5"
        fill="none"
        stroke={isFull ? "var(--ink)" : "var(--accent)"}
        strokeWidth="3"
        strokeDasharray={`${share * 53.4} 53.4`}
        transform="rotate(-90 11 11)"
      />
    </svg>
  );
}
