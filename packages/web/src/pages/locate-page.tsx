import { useApis } from "@colloquy/react";
import { useEffect, useState } from "react";
import { NotFound } from "../parts/not-found.tsx";
import { go } from "../state/router.ts";

/** Resolves an address that contains only an id. */
export function LocatePage({ id }: { readonly id: string }) {
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
  return isNowhere ? <NotFound /> : null;
}
