export { composeProjectExports } from './compose';
export { archiveBounds } from './domain/archive-bounds';
export { archiveFormat, archiveKinds, type RecordOwner } from './domain/project-export';
export { recordsByOwner, recordsOf } from './transport/records.client';
