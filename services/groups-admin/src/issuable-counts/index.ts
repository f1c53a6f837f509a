export { composeIssuableCounts } from './compose';
export type { LabelCounts } from './domain/label-counts';
export { issuableCounts, labelCounts, openIssuesOf } from './storage/issuable-count.store';
