import { type Expectation, type FamilyName, row } from './expectation';

/** What became of the state, the labels and the milestone of one kind of object. */
export const resourceEventRows = (path: string, read: FamilyName): Expectation[] =>
  ['state', 'label', 'milestone'].flatMap((kind) => [
    row(`GET ${path}/resource_${kind}_events`, read, 'G-4.2-1'),
    row(`GET ${path}/resource_${kind}_events/:event_id`, read, 'G-4.2-1'),
  ]);

/** Notes of one kind of object (G-4.6-1 … G-4.6-5): what the service decides on authorship, level and confidentiality is its own. */
export const noteRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/notes`, read, 'G-4.6-1'),
  row(`GET ${path}/notes/:note_id`, read, 'G-4.6-2'),
  row(`POST ${path}/notes`, write, 'G-4.6-3', { body: 'b' }),
  row(`PUT ${path}/notes/:note_id`, write, 'G-4.6-4', { body: 'b' }),
  row(`DELETE ${path}/notes/:note_id`, write, 'G-4.6-5'),
];

/** Discussions on one kind of object (G-4.7-1 … G-4.7-9). */
export const discussionRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/discussions`, read, 'G-4.7-1'),
  row(`GET ${path}/discussions/:discussion_id`, read, 'G-4.7-2'),
  row(`POST ${path}/discussions`, write, 'G-4.7-3', { body: 'b' }),
  row(`GET ${path}/discussions/:discussion_id/notes`, read, 'G-4.7-4'),
  row(`POST ${path}/discussions/:discussion_id/notes`, write, 'G-4.7-5', { body: 'b' }),
  row(`GET ${path}/discussions/:discussion_id/notes/:note_id`, read, 'G-4.7-6'),
  row(`PUT ${path}/discussions/:discussion_id/notes/:note_id`, write, 'G-4.7-7', { body: 'b' }),
  row(`DELETE ${path}/discussions/:discussion_id/notes/:note_id`, write, 'G-4.7-9'),
];

/** Reactions to one kind of thing (G-4.6-11). */
export const reactionRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/award_emoji`, read, 'G-4.6-11'),
  row(`GET ${path}/award_emoji/:award_id`, read, 'G-4.6-11'),
  row(`POST ${path}/award_emoji`, write, 'G-4.6-11', { name: 'thumbsup' }),
  row(`DELETE ${path}/award_emoji/:award_id`, write, 'G-4.6-11'),
];
