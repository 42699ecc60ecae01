/** A change to one file, before it is known whether anything was lost. */
export interface FileRow {
  readonly path: string;
  readonly kind: "created" | "changed" | "emptied" | "deleted" | "mode";
  /** The folder that was created or deleted as a whole, if the file was in one; a row with that very path stands for an empty folder. */
  readonly group: string | undefined;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface FileState {
  readonly bytes: number;
  readonly isLink: boolean;
  /** Identifies a file with its content until somebody changes it. */
  readonly key: string;
  readonly bornNs: bigint;
}
