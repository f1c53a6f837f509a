import { sql } from '@switchyard/database/sql';
import { reportsMeasured } from '@switchyard/events';
import { projectMeasurements } from '@switchyard/service';

/** Sizes of the reports of projects. */
export const reportMeasurements = projectMeasurements({
  name: 'reports',
  table: 'report_measurements',
  batch: 50,
  event: reportsMeasured,
  sizes: sql`(select coalesce(sum(r.size), 0)::bigint from dependency_reports r where r.project_id = due.id) as size`,
});
