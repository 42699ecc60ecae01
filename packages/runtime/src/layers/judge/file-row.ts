/** What happened to one file, before it is told whether anything was lost by it. */
export interface FileRow {
  readonly path: string;
  readonly kind: "created" | "changed" | "emptied" | "deleted" | "mode";
  /** The folder that was made or removed as a whole, if it was in one; a row of that path itself stands for one without files. */
  readonly group: string | undefined;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface FileState {
  readonly bytes: number;
  readonly isLink: boolean;
  /** The same file with the same content, for as long as nobody changes it. */
  readonly key: string;
  readonly bornNs: bigint;
}
