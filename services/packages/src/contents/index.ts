export { type Contents, composeContents } from './compose';
export type { ContentDigests, ReceivedContent } from './domain/content';
export { type SentFile, sendContent } from './transport/send-content';
