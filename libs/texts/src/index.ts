export { humanTime, parseDuration } from './durations';
export {
  type CrossReference,
  crossReferencesOf,
  type IssueReference,
  type IssueReferences,
  issueReferences,
} from './issue-references';
export { type Mentions, mentionsIn, newMentions } from './mentions';
export { countTasks } from './tasks';
export { parseTimeSpent, type TimeTracking, timeStats, trackTime, type WorkTimes } from './time-tracking';
