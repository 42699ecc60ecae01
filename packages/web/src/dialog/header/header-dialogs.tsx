import { WhyDialog } from "../../parts/why-dialog.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Header } from "./use-dialog-header.ts";

/** Asks before something that cannot be undone. */
export function HeaderDialogs({ dialogId, header }: { readonly dialogId: string; readonly header: Header }) {
  const words = useWords();
  const { act, asked, hide, asker, agentName } = header;
  return (
    <>
      {asked === "dead" && (
        <WhyDialog
          title={words.dialog.deadTitle}
          text={words.dialog.deadText(asker ? agentName(asker.agentId) : "–")}
          action={words.dialog.dead}
          onClose={hide}
          onGo={async () => {
            hide();
            await act(({ dead }) => dead(dialogId));
          }}
        />
      )}
      {asked === "archive" && (
        <WhyDialog
          title={words.dialog.archiveTitle}
          text={words.dialog.archiveText}
          action={words.dialog.archive}
          onClose={hide}
          onGo={async () => {
            hide();
            await act(({ archive }) => archive(dialogId));
          }}
        />
      )}
      {asked === "clear" && (
        <WhyDialog
          title={words.dialog.clearMindTitle}
          text={words.dialog.clearMindText}
          label={words.dialog.clearMindReminder}
          action={words.dialog.clearMind}
          onClose={hide}
          onGo={async (reminder) => {
            hide();
            await act(({ clearMind }) => clearMind(dialogId, reminder === "" ? {} : { reminder }));
          }}
        />
      )}
    </>
  );
}
