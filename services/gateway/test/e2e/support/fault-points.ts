import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../../../..');

/** Fault points passed by a push, in their order. */
export const pushPoints = [
  'push.received',
  'push.decided',
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push.subscriber_told',
  'push.told',
];
/** Fault points passed by a push whose options open a merge request, or change the open one, in their order. */
export const pushOptionPoints = ['push_option.opened', 'push_option.changed', 'push_option.carried_out'];
/** Fault points passed by a merge request that is opened from a fork, and by a push to its branch there, in no order. */
export const forkedRequestPoints = [
  'merge_request.created',
  'merge_request.commits_brought',
  'merge_request.head_kept',
];
/** Fault points passed by a merge that removes its source branch, in their order. */
export const mergePoints = [
  'merge.commits_written',
  'merge.intent_committed',
  'merge.ref_moved',
  'merge.committed',
  'merge.source_removed',
  'merge.plan_dropped',
];
/** Fault points passed by a train of which one car lands and one leaves, in their order. */
export const trainPoints = [
  'train.boarded',
  'train.commits_written',
  'train.ref_pointed',
  'train.build_committed',
  'train.landing_begun',
  'train.left',
  'train.ref_dropped',
];
/** Fault points passed by an event on its way to a to-do, in their order. */
export const eventPoints = [
  'outbox.claimed',
  'outbox.published',
  'todo.written',
  'system_note.written',
  'system_note.committed',
  'todo.committed',
  'consumer.committed',
];

/** Fault points passed by the event of a merge request that is opened and names another one, in no order. */
export const openingPoints = [
  'cross_reference.written',
  'cross_reference.committed',
  'activity.written',
  'activity.committed',
];

/** Fault points passed by a note that is written, in their order. */
export const notePoints = ['note.written', 'note.committed'];

/** Fault points passed by a suggestion that is applied. */
export const suggestionPoints = ['suggestion.committed'];

/** Fault points passed by a change of an issue, in their order. */
export const issuePoints = ['issue.written', 'issue.committed'];

/** Fault points passed by a change of an epic, in their order. */
export const epicPoints = ['epic.written', 'epic.committed'];

/** Fault points passed by an event of a merge request on its way to the issues it names, in their order. */
export const issueReferencePoints = ['issue_reference.written', 'issue_reference.committed'];

/** Fault points passed by a payload on its way to an alert, its incident and its mail, and back, in their order. */
export const alertPoints = [
  'alert.batch_written',
  'alert.batch_committed',
  'alert_event.written',
  'alert_event.committed',
  'mail.claimed',
  'mail.sent',
  'incident_event.written',
  'incident_event.committed',
  'alert.written',
  'alert.committed',
];

/** Fault points passed by an image that is attached to an alert and deleted again, in their order. */
export const metricImagePoints = [
  'metric_image.expected',
  'metric_image.stored',
  'metric_image.written',
  'metric_image.committed',
  'metric_image.deleted',
  'metric_image.swept',
];

/** Fault points passed by the publication of a file of a package, in their order. */
export const publicationPoints = [
  'content.expected',
  'content.stored',
  'package.file_written',
  'package.file_committed',
];

/** Fault points passed by a file that texts link to and that is deleted again, in their order. */
export const uploadPoints = ['upload.written', 'upload.committed', 'upload.deleted'];

/** Fault points passed by a report of what a pipeline is built from, in their order. */
export const reportPoints = ['report.expected', 'report.stored', 'report.committed'];

/** Fault points passed by the export of a dependency list, in their order. */
export const dependencyExportPoints = [
  'dependency_export.created',
  'dependency_export.planned',
  'dependency_export.source_read',
  'dependency_export.blob_expected',
  'dependency_export.written',
  'dependency_export.signed',
  'dependency_export.ended',
];

/** Fault points passed by an import of a project, in their order. */
export const importPoints = [
  'project_import.added',
  'project_import.project_made',
  'project_import.started',
  'repository_import.fetched',
  'repository_import.refs_moved',
  'repository_import.heads_moved',
  'merge_request_import.refs_moved',
  'merge_request_import.added',
  'note_import.added',
  'project_import.file_brought',
  'project_import.page_written',
  'project_import.page_saved',
  'project_import.stage_done',
  'project_import.ended',
  'project_import.announced',
];

/** Fault points passed by an import that is done again, in their order. */
export const importRefreshPoints = [
  'project_import.refreshed',
  'project_import.refresh_announced',
  'merge_request_import.refreshed',
];

/** Fault points passed by an import that is cancelled. */
export const importCancelPoints = ['project_import.canceled'];

/** Fault points passed while somebody takes the place of a placeholder, in their order. */
export const placeholderPoints = [
  'import_placeholder.decided',
  'import_placeholder.rewritten',
  'import_placeholder.removed',
  'import_placeholder.reassigned',
];

/** Fault points passed by an import of gists, in their order. */
export const gistImportPoints = [
  'gist_import.added',
  'gist_import.page_written',
  'gist_import.page_saved',
  'gist_import.ended',
];

/** Fault points passed by the export of a project, in their order. */
export const projectExportPoints = [
  'project_export.created',
  'project_export.records_read',
  'project_export.bundled',
  'project_export.uploads_read',
  'project_export.written',
  'project_export.ended',
];

/** Fault points passed by the import of an archive, in their order. */
export const archiveImportPoints = [
  'archive_import.received',
  'archive_import.added',
  'archive_import.begun',
  'archive_import.checked',
  'archive_import.page_written',
  'archive_import.page_saved',
  'bundle_import.unpacked',
  'bundle_import.refs_moved',
  'bundle_import.heads_moved',
  'archive_import.repository_written',
  'upload.transferred',
  'archive_import.uploads_written',
  'archive_import.announced',
  'archive_import.ended',
];

/** Fault points passed by the import of an archive that is cancelled. */
export const archiveCancelPoints = ['archive_import.canceled'];

/** Fault points passed by the cleanup and deletion of packages, in their order. */
export const packageDeletionPoints = ['package.cleaned', 'package.deleted', 'package.destroyed', 'content.collected'];

/** Fault points passed by the copy of a fork's repository, in their order. */
export const forkPoints = [
  'fork.draft_made',
  'fork.objects_linked',
  'fork.refs_written',
  'fork.placed',
  'fork.recorded',
];

/** Fault points passed by a deployment that succeeds, in their order. */
export const deploymentPoints = ['deployment.written', 'deployment.committed'];

/** Fault points passed by a delivery to a webhook, in their order. */
export const deliveryPoints = ['delivery.queued', 'delivery.sent', 'delivery.recorded'];

/** Fault points passed by the event of a user who is deleted with what they wrote. */
export const deletedUserPoints = ['deleted_user.queued'];

/** Fault points passed by an event that becomes a hook body with its place in the change feed, in their order. */
export const changePoints = ['changes.rendered', 'changes.recorded', 'changes.committed'];

/** Fault points passed by an event on its way to mail and to the ledger, in their order. */
export const notificationPoints = ['notification.decided', 'notification.committed'];

/** Fault points passed by the command that moves a repository to another storage, in their order. */
export const movePoints = ['move.copied', 'move.placed', 'move.recorded'];
/** Fault points passed by the job that removes its former copy, in their order. */
export const formerCopyPoints = ['move.objects_followed', 'move.former_removed'];

/** What the sources say of fault points. */
export interface FaultPointsOfSources {
  /** Names a process passes by. */
  readonly passed: readonly string[];
  /** Names in the catalogue `faultPoints`. */
  readonly declared: readonly string[];
  /** Calls whose name is no literal, by file: their argument cannot be read here. */
  readonly unreadable: readonly string[];
}

/** Reads every call of `faultPoint` and every entry of the catalogue from the sources of libs and services. */
export function faultPointsOfSources(): FaultPointsOfSources {
  const passed = new Set<string>();
  const declared = new Set<string>();
  const unreadable: string[] = [];
  for (const file of sources()) {
    const text = readFileSync(file, 'utf8');
    for (const [, name] of text.matchAll(/(?<!function )\bfaultPoint\(\s*(?:'([^']+)')?/g)) {
      if (name === undefined) unreadable.push(file);
      else passed.add(name);
    }
    for (const [, list = ''] of text.matchAll(/\bfaultPoints(?:\.push\(|: string\[\] = \[)([^)\]]*)/g)) {
      for (const [, name = ''] of list.matchAll(/'([^']+)'/g)) declared.add(name);
    }
  }
  return { passed: [...passed].sort(), declared: [...declared].sort(), unreadable };
}

function sources(): string[] {
  return ['libs', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).flatMap((name) => {
      const folder = join(root, kind, name, 'src');
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('generated'))
        .map((path) => join(folder, path));
    }),
  );
}
