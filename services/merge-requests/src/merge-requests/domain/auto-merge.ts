/** Merges by itself once the checks pass. */
export const mergeWhenChecksPass = 'merge_when_checks_pass';

/** Boards the train of its target branch once the checks pass. */
export const addToMergeTrain = 'add_to_merge_train_when_checks_pass';

/** Is on a train. */
export const onMergeTrain = 'merge_train';
