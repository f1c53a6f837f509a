import type { Noteable } from '../../noteables';
import type { DraftNote } from '../domain/draft-note';
import { presentPosition } from './note.presenter';

/** The position of a draft without one: clients read its fields. */
const nowhere = {
  base_sha: null,
  start_sha: null,
  head_sha: null,
  old_path: null,
  new_path: null,
  position_type: 'text',
  old_line: null,
  new_line: null,
  line_range: null,
};

/** The public draft. */
export const presentDraftNote = (draft: DraftNote, noteable: Pick<Noteable, 'targetId'>) => ({
  id: draft.id,
  author_id: draft.authorId,
  merge_request_id: noteable.targetId,
  resolve_discussion: draft.resolveDiscussion,
  discussion_id: draft.discussionId ?? null,
  note: draft.body,
  commit_id: draft.commitId ?? null,
  position: draft.position === undefined ? nowhere : presentPosition(draft.position),
  line_code: draft.lineCode ?? null,
});
