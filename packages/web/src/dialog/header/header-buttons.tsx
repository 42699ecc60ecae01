import { Menu } from "../../parts/menu.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Header, HeaderProps } from "./use-dialog-header.ts";

/** Stop or resume, the menu, and the panel. */
export function HeaderButtons({ dialogId, dialog, hasPanel = false, onPanel, onClose, header }: HeaderProps & { readonly header: Header }) {
  const words = useWords();
  const { act, items, isOver, mayAct } = header;
  const { view } = dialog;
  return (
    <>
      {mayAct &&
        !isOver &&
        (view.stopped ? (
          <button type="button" className="button button-primary" onClick={() => void act(({ resume }) => resume(dialogId))}>
            {words.dialog.resume}
          </button>
        ) : (
          view.state !== "idle" && (
            <button type="button" className="button" onClick={() => void act(({ stop }) => stop(dialogId))}>
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
    </>
  );
}
