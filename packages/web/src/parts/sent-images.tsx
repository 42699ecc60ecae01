import { useWords } from "../state/appearance.ts";
import { FetchedImage } from "./fetched-image.tsx";

/** Images of a message or a result, from this server only; a click shows one in its original size. */
export function SentImages({
  projectId,
  dialogId,
  names,
}: {
  readonly projectId: string;
  readonly dialogId: string;
  readonly names: readonly string[];
}) {
  const words = useWords();
  if (names.length === 0) return null;
  return (
    <p className="mt-2 flex flex-wrap gap-2">
      {names.map((name) => {
        const address = `/api/projects/${encodeURIComponent(projectId)}/dialogs/${dialogId}/images/${encodeURIComponent(name)}`;
        // Its space is reserved, so that nothing below it moves when it has loaded.
        const look = "h-40 w-auto max-w-full rounded-lg border border-line object-contain";
        return <FetchedImage key={name} address={address} alt={words.images.sent} className={look} />;
      })}
    </p>
  );
}
