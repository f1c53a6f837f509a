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
}

/** A content with its row. */
export interface StoredContent extends ReceivedContent {
  readonly id: number;
}
