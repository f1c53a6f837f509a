import { DependencyListExportEvent } from '@switchyard/protos/imports_exports/events/v1/dependency_list_export_event';
import { defineEvent } from '../event';

/** Exports of dependency lists that have ended, in order per export (see the proto for the ids of events). */
export const dependencyListExportEvents = defineEvent({
  stream: 'imports-exports.dependency-list-export',
  version: 1,
  type: 'dependency_list_export.ended',
  message: DependencyListExportEvent,
  key: (event) => String(event.exportId),
});
