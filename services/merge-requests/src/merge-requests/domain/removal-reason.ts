import type { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';

type ReasonName<Value extends string> = Value extends `REASON_${infer Name}` ? Lowercase<Name> : never;

/**
 * Why auto-merge is aborted, or a car is removed that its train did not land (G-4.1-5): a value of the event's proto,
 * without its prefix and in lower case. The reader of the event chooses the words.
 */
export type RemovalReason = Exclude<ReasonName<`${Reason}`>, 'unspecified'>;
