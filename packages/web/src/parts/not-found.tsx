import { useWords } from "../state/appearance.ts";
import { Link } from "./link.tsx";

/** Shown for an unknown address, with a link to the inbox. */
export function NotFound() {
  const words = useWords();
  return (
    <div className="m-auto flex flex-col items-center gap-3 p-8 text-center">
      <h1 className="text-muted">{words.notFound}</h1>
      <Link to={{ page: "inbox" }} className="button">
        {words.toInbox}
      </Link>
    </div>
  );
}
