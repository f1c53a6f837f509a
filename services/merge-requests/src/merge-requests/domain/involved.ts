/** Who has to do with a merge request, for those who notify them. */
export interface Involved {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly title: string;
  /** The first 32,768 characters. */
  readonly description: string;
  readonly authorId: number;
  readonly assigneeIds: number[];
  readonly reviewerIds: number[];
  readonly participantIds: number[];
  /** Users who chose to be notified. */
  readonly subscribedIds: number[];
  /** Users who chose not to be. */
  readonly unsubscribedIds: number[];
}
