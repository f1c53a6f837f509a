/** A hook body before it is encoded: where it belongs, and what it says. */
export interface HookDraft {
  readonly kind: 'member' | 'project' | 'milestone' | 'subgroup' | 'group' | 'user' | 'key';
  readonly action: string;
  readonly objectKey: string;
  readonly projectId?: number;
  readonly groupId?: number;
  /** Least level of readers; 0 for all who see the project or group. */
  readonly leastLevel?: number;
  readonly body: Readonly<Record<string, unknown>>;
}
