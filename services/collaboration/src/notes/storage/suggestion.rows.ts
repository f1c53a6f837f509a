import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { NewSuggestion, Suggestion } from '../domain/suggestion';

/** The suggestions of `notes n`, as an expression; null where there are none. */
export const suggestionsJson = sql`case when n.type = 'DiffNote' then (
  select jsonb_agg(jsonb_build_object('id', s.id, 'linesAbove', s.lines_above, 'linesBelow', s.lines_below,
    'fromContent', s.from_content, 'toContent', s.to_content, 'applied', s.commit_sha is not null) order by s.place)
  from suggestions s where s.note_id = n.id) end`;

/** Suggestions read through `suggestionsJson`. */
export const suggestionsOf = (json: unknown): readonly Suggestion[] => (json as Suggestion[] | null) ?? [];

/**
 * Writes what the text of a note suggests. One that the text had before, at the same place, keeps its id and stays applied;
 * others go. The noteable must be locked.
 */
export async function saveSuggestions(
  tx: SqlExecutor,
  noteId: number,
  suggestions: readonly NewSuggestion[],
): Promise<void> {
  const rows = JSON.stringify(suggestions.map((suggestion, place) => ({ ...suggestion, place })));
  await tx.query(sql`
    delete from suggestions s where s.note_id = ${noteId} and not exists (
      select from jsonb_to_recordset(${rows}::jsonb) as w (place int, "linesAbove" int, "linesBelow" int, "toContent" text)
      where w.place = s.place and w."linesAbove" = s.lines_above and w."linesBelow" = s.lines_below and w."toContent" = s.to_content)`);
  if (suggestions.length === 0) return;
  await tx.query(sql`
    insert into suggestions (note_id, place, lines_above, lines_below, from_content, to_content)
    select ${noteId}, w.place, w."linesAbove", w."linesBelow", w."fromContent", w."toContent"
    from jsonb_to_recordset(${rows}::jsonb)
      as w (place int, "linesAbove" int, "linesBelow" int, "fromContent" text, "toContent" text)
    order by w.place
    on conflict (note_id, place) do nothing`);
}
