import { useConnection } from "@colloquy/react";
import { exactPattern, type Part } from "@colloquy/schema";
import { useState } from "react";
import { useIsPhone } from "../../frame/use-is-phone.ts";
import { Modal } from "../../parts/modal.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Mode } from "../card/use-question-card.ts";

type Call = Extract<Part, { call: string }>;

const HOUR_MS = 3_600_000;

/** Buttons that open a form end in "…". */
const withoutDots = (label: string): string => label.replace(/ ?…+$/, "");

/** Approving takes a button or its key; never text, never Enter (U-S4). */
export function ApprovalButtons({
  call,
  mode,
  setMode,
  isSending,
  onApprove,
  onDeny,
}: {
  readonly call: Call | undefined;
  readonly mode: Mode;
  readonly setMode: (mode: Mode) => void;
  readonly isSending: boolean;
  readonly onApprove: (body: Readonly<Record<string, unknown>>, said: string) => void;
  readonly onDeny: (why: string) => void;
}) {
  const words = useWords();
  const { role } = useConnection();
  const isPhone = useIsPhone();
  const close = () => setMode("none");
  return (
    <>
      <button
        type="button"
        className="button button-primary max-sm:flex-1"
        disabled={isSending}
        onClick={() => onApprove({}, words.approval.once)}
        aria-keyshortcuts="a"
      >
        {words.approval.once}
      </button>
      {role === "owner" && !isPhone && (
        <button type="button" className="button" disabled={isSending} onClick={() => setMode("approveLike")} aria-keyshortcuts="Shift+A">
          {words.approval.always}
        </button>
      )}
      <button type="button" className="button max-sm:flex-1" disabled={isSending} onClick={() => setMode("deny")} aria-keyshortcuts="d">
        {words.approval.deny}
      </button>
      <button
        type="button"
        className="button max-sm:order-1"
        disabled={isSending || !call}
        onClick={() => setMode("change")}
        aria-keyshortcuts="c"
      >
        {words.approval.change}
      </button>
      {mode === "approveLike" && (
        <ApproveLike
          call={call}
          onClose={close}
          onGo={(body) => {
            close();
            onApprove(body, withoutDots(words.approval.always));
          }}
        />
      )}
      {mode === "deny" && (
        <Deny
          onClose={close}
          onGo={(why) => {
            close();
            onDeny(why);
          }}
        />
      )}
      {mode === "change" && call && (
        <ChangeCall
          call={call}
          onClose={close}
          onGo={(input) => {
            close();
            onApprove({ arguments: input }, words.approval.changed);
          }}
        />
      )}
    </>
  );
}

function ApproveLike({
  call,
  onClose,
  onGo,
}: {
  readonly call: Call | undefined;
  readonly onClose: () => void;
  readonly onGo: (body: Readonly<Record<string, unknown>>) => void;
}) {
  const words = useWords();
  const [pattern, setPattern] = useState((call && exactPattern(call)) ?? "");
  const [scope, setScope] = useState("dialog");
  const [until, setUntil] = useState("ever");
  const body = () => ({
    scope,
    pattern,
    ...(until !== "ever" && { until: new Date(Date.now() + (until === "hour" ? HOUR_MS : 24 * HOUR_MS)).toISOString() }),
  });
  return (
    <Modal title={words.approval.always} onClose={onClose}>
      <label className="block text-[13px] text-muted">
        {words.approval.pattern}
        <input className="field mt-1 font-mono text-ink" value={pattern} onChange={(event) => setPattern(event.target.value)} />
      </label>
      <div className="mt-3 grid grid-cols-2 gap-3">
        <label className="block text-[13px] text-muted">
          {words.approval.scope}
          <select className="field mt-1 text-ink" value={scope} onChange={(event) => setScope(event.target.value)}>
            {Object.entries(words.approval.scopes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className="block text-[13px] text-muted">
          {words.approval.until}
          <select className="field mt-1 text-ink" value={until} onChange={(event) => setUntil(event.target.value)}>
            {Object.entries(words.approval.untils).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button button-primary" disabled={pattern.trim() === ""} onClick={() => onGo(body())}>
          {withoutDots(words.approval.always)}
        </button>
      </div>
    </Modal>
  );
}

function Deny({ onClose, onGo }: { readonly onClose: () => void; readonly onGo: (why: string) => void }) {
  const words = useWords();
  const [why, setWhy] = useState("");
  const label = withoutDots(words.approval.deny);
  return (
    <Modal title={label} onClose={onClose}>
      <textarea
        className="field"
        rows={3}
        aria-label={words.approval.denyWhy}
        placeholder={words.approval.denyWhy}
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button button-primary" onClick={() => onGo(why.trim())}>
          {label}
        </button>
      </div>
    </Modal>
  );
}

function ChangeCall({
  call,
  onClose,
  onGo,
}: {
  readonly call: Call;
  readonly onClose: () => void;
  readonly onGo: (input: unknown) => void;
}) {
  const words = useWords();
  const [text, setText] = useState(JSON.stringify(call.input, undefined, 2));
  const [isWrong, setWrong] = useState(false);
  const send = () => {
    try {
      onGo(JSON.parse(text) as unknown);
    } catch {
      setWrong(true); // said below the field
    }
  };
  return (
    <Modal title={words.approval.change} onClose={onClose} isWide>
      <p className="text-[13px] text-muted">{words.approval.changedHint}</p>
      <textarea
        className="field mt-2 font-mono text-[13px]"
        rows={12}
        aria-label={words.dialog.arguments}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Problem text={isWrong ? words.approval.notJson : undefined} className="mt-1" />
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button button-primary" onClick={send}>
          {words.approval.changed}
        </button>
      </div>
    </Modal>
  );
}
