import { Menu } from "../../parts/menu.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Loaded } from "../dialog-column.tsx";
import type { Composing } from "./use-composer.ts";

/** Sends; its menu has other ways to send. */
export function SendButton({ composing, view }: { readonly composing: Composing; readonly view: Loaded["view"] }) {
  const words = useWords();
  const { answered, canSend, waits, send } = composing;
  return (
    <div className="flex">
      <button
        type="button"
        className={`button button-primary h-10 px-4 ${answered ? "" : "rounded-r-none"}`}
        disabled={!canSend}
        onClick={() => void send()}
      >
        {answered ? words.answer : words.composer.send}
      </button>
      {!answered && (
        <Menu
          align="end"
          trigger={
            <button
              type="button"
              className="button button-primary h-10 rounded-l-none border-l-on-accent/30 px-2"
              aria-label={words.composer.howToSend}
              disabled={!canSend}
            >
              ▾
            </button>
          }
          items={[
            { label: words.composer.sendNow, onSelect: () => void send({ now: true }), isDisabled: waits.length === 0 },
            { label: words.composer.sendInterrupt, onSelect: () => void send({ interrupt: true }), isDisabled: view.state !== "working" },
            { label: words.composer.sendResume, onSelect: composing.sendAndResume, isDisabled: !view.stopped },
          ]}
        />
      )}
    </div>
  );
}
