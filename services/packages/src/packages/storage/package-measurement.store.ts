import { sql } from '@switchyard/database/sql';
import { packagesMeasured } from '@switchyard/events';
import { projectMeasurements } from '@switchyard/service';

/** Sizes of the packages and uploads of projects. */
export const packageMeasurements = projectMeasurements({
  name: 'packages and uploads',
  table: 'package_measurements',
  // One may have 100,000 packages.
  batch: 10,
  event: packagesMeasured,
  sizes: sql`
    (select coalesce(sum(c.size), 0)::bigint from packages k
      join package_files f on f.package_id = k.id join contents c on c.id = f.content_id
      where k.project_id = due.id and k.status <> 'pending_destruction') as size,
    (select coalesce(sum(c.size), 0)::bigint from uploads u join contents c on c.id = u.content_id
      where u.project_id = due.id) as "uploadsSize"`,
});
