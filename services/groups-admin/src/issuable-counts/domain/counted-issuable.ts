/** An issue or a merge request as far as it is counted, as its owner reports it. */
export interface CountedIssuable {
  readonly kind: 'issue' | 'merge_request';
  readonly id: number;
  readonly projectId: number;
  /** Grows with every change at its owner. */
  readonly version: number;
  readonly state: 'opened' | 'closed' | 'gone';
  readonly confidential: boolean;
  readonly labelIds: readonly number[];
}
