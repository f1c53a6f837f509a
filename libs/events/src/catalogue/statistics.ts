import { SnippetsMeasuredEvent } from '@switchyard/protos/collaboration/events/v1/snippets_measured';
import { ReportsMeasuredEvent } from '@switchyard/protos/imports_exports/events/v1/reports_measured';
import { RepositoryMeasuredEvent } from '@switchyard/protos/merge_requests/events/v1/repository_measured';
import { PackagesMeasuredEvent } from '@switchyard/protos/packages/events/v1/packages_measured';
import { defineEvent } from '../event';

/** Sizes of repositories, in order per project. Ids are `repository.measured:<project id>:<version>`. */
export const repositoryMeasured = defineEvent({
  stream: 'merge-requests.repository-statistics',
  version: 1,
  type: 'repository.measured',
  message: RepositoryMeasuredEvent,
  key: (event) => String(event.projectId),
});

/** Sizes of the snippets of projects, in order per project. Ids are `snippets.measured:<project id>:<version>`. */
export const snippetsMeasured = defineEvent({
  stream: 'collaboration.snippet-statistics',
  version: 1,
  type: 'snippets.measured',
  message: SnippetsMeasuredEvent,
  key: (event) => String(event.projectId),
});

/** Sizes of the packages and uploads of projects, in order per project. Ids are `packages.measured:<project id>:<version>`. */
export const packagesMeasured = defineEvent({
  stream: 'packages.package-statistics',
  version: 1,
  type: 'packages.measured',
  message: PackagesMeasuredEvent,
  key: (event) => String(event.projectId),
});

/** Sizes of the reports of projects, in order per project. Ids are `reports.measured:<project id>:<version>`. */
export const reportsMeasured = defineEvent({
  stream: 'imports-exports.report-statistics',
  version: 1,
  type: 'reports.measured',
  message: ReportsMeasuredEvent,
  key: (event) => String(event.projectId),
});
