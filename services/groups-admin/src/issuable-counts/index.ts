export { issuableCounts, type LabelCounts, labelCounts, openIssuesOf } from './storage/issuable-count.store';
