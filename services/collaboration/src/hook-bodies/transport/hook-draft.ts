/** A hook body before it is encoded: where it belongs, who may read it, and what it says. */
export interface HookDraft {
  readonly kind: 'issue' | 'note' | 'emoji';
  readonly action: string;
  readonly confidential: boolean;
  readonly objectKey: string;
  readonly projectId: number;
  readonly feature: 'issues' | 'merge_requests' | 'repository' | 'snippets';
  /** Least level of readers; 0 for all who read the project. */
  readonly leastLevel: number;
  /** Who may read it at any level; 0 for none. */
  readonly authorId: number;
  /** Others who may. */
  readonly audienceIds: readonly number[];
  readonly body: Readonly<Record<string, unknown>>;
}
