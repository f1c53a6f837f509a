import type { Noteable } from '../../noteables';
import type { NotePosition } from '../domain/note-position';
import { isAppliable, type Suggestion } from '../domain/suggestion';

/** The public suggestion: its lines are those where the note stands now. */
export const presentSuggestion = (
  suggestion: Suggestion,
  position: NotePosition | undefined,
  noteable: Pick<Noteable, 'state' | 'headSha'>,
) => ({
  id: suggestion.id,
  from_line: (position?.newLine ?? 0) - suggestion.linesAbove,
  to_line: (position?.newLine ?? 0) + suggestion.linesBelow,
  appliable: position !== undefined && isAppliable(suggestion, position, noteable),
  applied: suggestion.applied,
  from_content: suggestion.fromContent,
  to_content: suggestion.toContent,
});
