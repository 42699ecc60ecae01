/** One version of a document replaces another; `""` means that it does not exist, and then there is no text. */
export interface DocumentSwap {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly text: string | undefined;
}

/** The current version of a document; one that was removed has no text, and the hash `""`. */
export type StoredDocument = Omit<DocumentSwap, "from" | "to"> & { readonly hash: string };

/** Taskdocs, memory and requirements of a project whose processes do not share a folder. */
export interface StoredDocuments {
  /** Existing documents below these folders. Those that change later are in `since`. */
  below(folders: readonly string[]): Promise<readonly StoredDocument[]>;
  /** Documents that any process changed after the last call; the first call tells nothing. */
  since(): Promise<readonly StoredDocument[]>;
  /** True if `since` may have something to tell. */
  readonly hasNews: boolean;
  /** `written`: the new version is durable, even if it was there already. `taken`: there is another version, which stays. */
  swap(swap: DocumentSwap): Promise<"written" | "taken">;
}
