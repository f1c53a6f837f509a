export { issuableCounts, type LabelCounts, labelCounts } from './storage/issuable-count.store';
