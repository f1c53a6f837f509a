/** A hook body before it is encoded: where it belongs, who may read it, and what it says. */
export interface HookDraft {
  readonly kind: 'issue' | 'epic' | 'note' | 'emoji';
  readonly action: string;
  readonly confidential: boolean;
  /** True where what is named beside the object is confidential, and the object is not. */
  readonly objectIsOpen?: boolean;
  readonly objectKey: string;
  /** 0 for what is about an epic. */
  readonly projectId: number;
  /** Group of an epic; absent for everything else. */
  readonly groupId?: number;
  /** Empty for epics, whose groups have no features. */
  readonly feature: 'issues' | 'merge_requests' | 'repository' | 'snippets' | '';
  /** Least level of readers; 0 for all who read the project or group. */
  readonly leastLevel: number;
  /** Who may read it at any level; 0 for none. */
  readonly authorId: number;
  /** Others who may. */
  readonly audienceIds: readonly number[];
  readonly body: Readonly<Record<string, unknown>>;
}
