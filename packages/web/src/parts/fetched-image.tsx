import { useEffect, useState } from "react";
import { sessionHeaders } from "../state/session.ts";

/** An image of this server, fetched by script: an `img` element would send the cookie alone, which gives no access. */
export function FetchedImage({ address, alt, className }: { readonly address: string; readonly alt: string; readonly className: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const leaving = new AbortController();
    let made: string | undefined;
    void fetch(address, { headers: sessionHeaders(), signal: leaving.signal })
      .then(async (response) => {
        if (!response.ok) return;
        made = URL.createObjectURL(await response.blob());
        setUrl(made);
      })
      .catch(() => undefined); // the text beside it is still shown
    return () => {
      leaving.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [address]);
  const image = <img src={url} alt={alt} className={className} />;
  if (url === undefined) return image;
  return (
    <a href={url} target="_blank" rel="noopener">
      {image}
    </a>
  );
}
