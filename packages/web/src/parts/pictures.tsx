import { useRef } from "react";
import { useWords } from "../state/appearance.ts";
import type { Chosen } from "./use-pictures.ts";

/** Attached pictures, each with a remove button. */
export function Pictures({ pictures, onRemove }: { readonly pictures: readonly Chosen[]; readonly onRemove: (picture: Chosen) => void }) {
  const words = useWords();
  if (pictures.length === 0) return null;
  return (
    <ul aria-label={words.images.chosen} className="mb-2 flex flex-wrap gap-2">
      {pictures.map((picture, nth) => (
        <li key={nth} className="relative">
          <img src={picture.address} alt={picture.name} className="h-16 w-16 rounded-lg border border-line object-cover" />
          <button
            type="button"
            className="absolute -top-2 -right-2 h-6 w-6 rounded-full border border-line bg-panel text-xs leading-none"
            aria-label={words.images.remove(picture.name)}
            onClick={() => onRemove(picture)}
          >
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Opens the browser's own choice of files. */
export function PictureButton({ onChoose, className = "" }: { readonly onChoose: (files: FileList) => void; readonly className?: string }) {
  const words = useWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        className={`button ${className}`}
        aria-label={words.images.add}
        title={words.images.add}
        onClick={() => input.current?.click()}
      >
        <svg aria-hidden="true" width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.7">
          <path d="M4 5h16v14H4zM4 16l4.5-4.5 4 4L16 12l4 4M9.5 8.8v.1" strokeLinecap="round" strokeLinejoin="round" />
        </svg>
      </button>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        multiple
        hidden
        aria-label={words.images.add}
        onChange={(event) => {
          if (event.target.files) onChoose(event.target.files);
          event.target.value = "";
        }}
      />
    </>
  );
}
