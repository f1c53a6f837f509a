import { DependencyListExportEvent } from '@switchyard/protos/imports_exports/events/v1/dependency_list_export_event';
import { GistImportEvent } from '@switchyard/protos/imports_exports/events/v1/gist_import_event';
import { ImportPlaceholderEvent } from '@switchyard/protos/imports_exports/events/v1/import_placeholder_event';
import { defineEvent } from '../event';

/** Exports of dependency lists that have ended, in order per export (see the proto for the ids of events). */
export const dependencyListExportEvents = defineEvent({
  stream: 'imports-exports.dependency-list-export',
  version: 1,
  type: 'dependency_list_export.ended',
  message: DependencyListExportEvent,
  key: (event) => String(event.exportId),
});

/** Imports of gists that failed or left some out, in order per import (see the proto for the ids of events). */
export const gistImportEvents = defineEvent({
  stream: 'imports-exports.gist-import',
  version: 1,
  type: 'gist_import.ended',
  message: GistImportEvent,
  key: (event) => String(event.importId),
});

/** Users who are asked to take the places of placeholders, in order per placeholder (see the proto for the ids of events). */
export const importPlaceholderEvents = defineEvent({
  stream: 'imports-exports.import-placeholder',
  version: 1,
  type: 'import_placeholder.asked',
  message: ImportPlaceholderEvent,
  key: (event) => String(event.placeholderId),
});
