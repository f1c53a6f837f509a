/** What identifies a content, and how large it is. The digests are hexadecimal digits in lower case. */
export interface ContentDigests {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  readonly sha1: string;
  readonly md5: string;
}

/** A content that is stored under a key of the blob store, and that no row names yet. */
export interface ReceivedContent extends ContentDigests {
  readonly blob: string;
  /** The blob of the same content that was lost, and whose place it takes; undefined for none. */
  readonly replaces?: string | undefined;
}

/** A content with its row. */
export interface StoredContent extends ContentDigests {
  readonly blob: string;
  readonly id: number;
}
