import { type ReactNode, useEffect, useId, useRef } from "react";
import { useWords } from "../state/appearance.ts";

/** The browser's own dialog: it keeps focus, closes with Escape, and needs no style of its own in the page. */
export function Modal({
  title,
  onClose,
  children,
  isWide = false,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  const words = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal();
    // The browser would focus the close button first; people open this to write or choose.
    (element?.querySelector<HTMLElement>("input, textarea, select") ?? element?.querySelector<HTMLElement>("button"))?.focus();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
      className={`w-[calc(100vw-32px)] ${isWide ? "max-w-2xl" : "max-w-md"} rounded-2xl border border-line bg-panel p-0 text-ink shadow-2xl`}
    >
      <div className="flex max-h-[80vh] flex-col">
        <div className="flex items-center justify-between px-5 pt-4">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          <button type="button" className="button button-plain px-2" aria-label={words.close} onClick={onClose}>
            ✕
          </button>
        </div>
        {/* Reached by a key, so that keys can scroll it. */}
        <div role="group" aria-labelledby={id} tabIndex={0} className="overflow-y-auto px-5 pb-5 pt-2 outline-offset-[-3px]">
          {children}
        </div>
      </div>
    </dialog>
  );
}
