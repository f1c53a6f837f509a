/** What a copy leaves out and changes. */
export interface CopyRules {
  /**
   * Whether internal notes are copied: a user who moves an issue to a project of their own must not read there what
   * they may not read here (G-4.6-9).
   */
  readonly internal: boolean;
  /** A text as it is written in the other project. */
  readonly rewritten: (text: string) => string;
}
