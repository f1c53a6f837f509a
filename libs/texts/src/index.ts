export { parseBoolean } from './booleans';
export { parseColor, textColor } from './color';
export {
  advance,
  type CommandedEdit,
  type CommandNames,
  type CommandPlace,
  type CommandSteps,
  type CommandSubject,
  commandSteps,
  notApplied,
  timeTrackingOf,
} from './command-steps';
export { type DescribedRequest, trackAll, withCommands } from './described';
export { displayText, displayTextProblems, isBlank, isUnshowable, oneLine, shortened, shortLine } from './display-text';
export { formatTimestamp, humanTime, isShowableTime, parseDuration, timeProblems } from './durations';
export { isEmailAddress } from './email-address';
export { emojiName, isEmoji } from './emoji-names';
export type { EpicName } from './epic-names';
export { type HealthStatus, hasHealthStatus, healthStatuses } from './health-status';
export { ascending, fieldsToTake, type ImportedFields, importedFields } from './imported-fields';
export {
  type CrossReference,
  crossReferencesOf,
  type IssueReference,
  type IssueReferences,
  issueReferences,
} from './issue-references';
export { asCode, fenceFor, linkAddress, literal } from './literal-text';
export { type Mentions, mentionsIn, newMentions } from './mentions';
export { pythonName } from './python-names';
export { type Command, parseQuickActions } from './quick-actions';
export { isRefName, isShortRefName, isWellFormedRef } from './ref-names';
export { relocated } from './relocated';
export { repeatedText } from './repeated-text';
export { searchMatch } from './search-words';
export { changedSet } from './set-change';
export { isStorable, isStorableValue } from './storable';
export { countTasks } from './tasks';
export {
  parseTimeSpent,
  type SpentTime,
  type TimeTracking,
  timeStats,
  trackTime,
  type WorkTimes,
  withoutTime,
} from './time-tracking';
export { type ExternalTracker, trackerLinks, trackerSlugs } from './tracker-references';
export { maxVariableValueLength, variableKeyProblems } from './variables';
