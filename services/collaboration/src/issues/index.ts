export { callerOf } from './application/caller';
export type { IssueCaller } from './application/issue.edges';
export { composeIssues, type Issues } from './compose';
export { type IssueSeverity, issueFieldProblems, maxDescriptionLength } from './domain/issue';
export { editIssue } from './domain/issue-edit';
export { issueStates } from './storage/issue.events';
export { issueReaders, visibleIssues } from './storage/issue.visibility';
export { changeIssue, incidents } from './storage/issue-change.store';
export { issueReferences } from './storage/issue-reference.store';
