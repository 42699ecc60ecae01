import { useDoor } from "@colloquy/react";
import { useEffect, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";

interface Located {
  readonly project: string;
  readonly dialog: { readonly selfId: string };
  readonly questionId?: string;
}

/** An address with nothing but an id: the server knows whose it is. */
export function LocatePage({ id }: { readonly id: string }) {
  const words = useWords();
  const door = useDoor();
  const [isNowhere, setNowhere] = useState(false);
  useEffect(() => {
    door
      .read<Located>(`/locate?id=${encodeURIComponent(id)}`)
      .then(({ project: projectId, dialog, questionId }) =>
        go(
          questionId === undefined ? { page: "dialog", projectId, dialogId: dialog.selfId } : { page: "inbox", projectId, questionId },
          "replace",
        ),
      )
      .catch(() => setNowhere(true));
  }, [door, id]);
  return isNowhere ? <h1 className="m-auto text-muted">{words.notFound}</h1> : null;
}
