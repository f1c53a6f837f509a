import { sql } from '@switchyard/database/sql';
import { snippetsMeasured } from '@switchyard/events';
import { projectMeasurements } from '@switchyard/service';

/** Sizes of the snippets of projects. */
export const snippetMeasurements = projectMeasurements({
  name: 'snippets',
  table: 'snippet_measurements',
  batch: 50,
  event: snippetsMeasured,
  sizes: sql`(
    select coalesce(sum(octet_length(f.content)), 0)::bigint
    from snippets s join snippet_files f on f.snippet_id = s.id where s.project_id = due.id) as size`,
});
