export { reactionMatch, titleMatch, userMatch } from './filter';
export { timeTracking, timeTrackingMessage } from './time-tracking';
