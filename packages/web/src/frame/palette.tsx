import { type KeyboardEvent, Suspense, useId, useRef, useState } from "react";
import { Modal } from "../parts/modal.tsx";
import { whenNeeded } from "../parts/when-needed.ts";
import { useWords } from "../state/appearance.ts";

const PaletteList = whenNeeded(
  () => import("./palette-list.tsx"),
  (module) => module.PaletteList,
);

/** Searches pages, titles of dialogs and their texts. The field accepts keys at once, even while the list is still loading. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const [text, write] = useState("");
  const [current, setCurrent] = useState<string>();
  const onKey = useRef<((key: string) => boolean) | undefined>(undefined);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (onKey.current?.(event.key) === true) event.preventDefault();
  };
  return (
    <Modal title={words.palette.title} onClose={onClose} isWide>
      <input
        autoFocus
        className="field"
        role="combobox"
        // While the list is loading there is nothing to control.
        aria-expanded={current !== undefined}
        aria-controls={current === undefined ? undefined : id}
        aria-activedescendant={current === undefined ? undefined : `${id}-${current}`}
        aria-label={words.palette.title}
        placeholder={words.palette.hint}
        value={text}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Suspense fallback={null}>
        <PaletteList text={text} id={id} onKey={onKey} onCurrent={setCurrent} onClose={onClose} />
      </Suspense>
    </Modal>
  );
}
