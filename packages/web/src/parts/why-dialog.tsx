import { type ReactNode, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { Modal } from "./modal.tsx";

/** Confirms something irreversible and, if a label is given, asks for the reason. */
export function WhyDialog({
  title,
  text,
  label,
  action,
  onClose,
  onGo,
}: {
  readonly title: string;
  readonly text: ReactNode;
  readonly label?: string;
  readonly action: string;
  readonly onClose: () => void;
  readonly onGo: (why: string) => Promise<void> | void;
}) {
  const words = useWords();
  const [why, setWhy] = useState("");
  return (
    <Modal title={title} onClose={onClose}>
      <p className="text-muted">{text}</p>
      {label !== undefined && (
        <input className="field mt-3" aria-label={label} placeholder={label} value={why} onChange={(event) => setWhy(event.target.value)} />
      )}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button button-primary" onClick={() => void onGo(why.trim())}>
          {action}
        </button>
      </div>
    </Modal>
  );
}
