import { type Database, readRecords } from '@switchyard/database';
import type { Sql } from '@switchyard/database/sql';
import { invalidParams } from '@switchyard/errors';
import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import { implement } from '@switchyard/rpc';
import type { Area } from './area';

/**
 * Serves the kinds of records that a service owns of a project, for its export (ADR 60).
 * @param kinds a select of `id` and `record`, by kind and for a project
 */
export function projectRecords(db: Database, kinds: Readonly<Record<string, (projectId: number) => Sql>>): Area {
  const services = [
    implement(
      ProjectRecordServiceService,
      {
        readProjectRecords: ({ projectId, kind, after }) => {
          const rows = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
          if (rows === undefined) throw invalidParams('kind does not have a valid value');
          return readRecords(db, rows(projectId), after);
        },
      },
      { readProjectRecords: { callers: ['imports-exports'] } },
    ),
  ];
  return { services };
}
