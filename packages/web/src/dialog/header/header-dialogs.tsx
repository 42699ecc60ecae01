import { WhyDialog } from "../../parts/why-dialog.tsx";
import { go } from "../../state/router.ts";
import { useWords } from "../../state/appearance.ts";
import type { Header } from "./use-dialog-header.ts";

interface HeaderDialogsProps {
  readonly projectId: string;
  readonly dialogId: string;
  readonly header: Header;
}

/** Asks before something that cannot be undone. */
export function HeaderDialogs({ projectId, dialogId, header }: HeaderDialogsProps) {
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
      {asked === "delete" && (
        <WhyDialog
          title={words.dialog.deleteTitle}
          text={words.dialog.deleteText}
          action={words.dialog.delete}
          onClose={hide}
          onGo={async () => {
            hide();
            if (await act((dialogs) => dialogs.delete(dialogId))) go({ page: "dialogs", projectId });
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
