import { useProject } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { duration, money, short } from "../../state/duration.ts";
import { useNow } from "../../state/now.ts";
import type { Loaded } from "../dialog-column.tsx";

/** Context, cost and phase. */
export function HeaderFacts({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const { settings } = useProject(projectId);
  const { view } = dialog;
  return (
    <>
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
    </>
  );
}

export function Elapsed({ dialog }: { readonly dialog: Loaded }) {
  const words = useWords();
  const now = useNow(1_000);
  const { view, live } = dialog;
  const run = live.findLast(({ selfId }) => selfId === view.selfId);
  const since =
    run?.tools.at(-1)?.startedAt ??
    run?.startedAt ??
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

/** A ring that shows how full the agent's context is; the numbers are in its label. */
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
