import { useApis } from "@colloquy/react";
import { useEffect, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";

/** Resolves an address that contains only an id. */
export function LocatePage({ id }: { readonly id: string }) {
  const words = useWords();
  const apiOf = useApis();
  const [isNowhere, setNowhere] = useState(false);
  useEffect(() => {
    apiOf()
      .locate({ id })
      .then(({ project: projectId, dialog, questionId }) =>
        go(
          questionId === undefined ? { page: "dialog", projectId, dialogId: dialog.selfId } : { page: "inbox", projectId, questionId },
          "replace",
        ),
      )
      .catch(() => setNowhere(true));
  }, [apiOf, id]);
  return isNowhere ? <h1 className="m-auto text-muted">{words.notFound}</h1> : null;
}
