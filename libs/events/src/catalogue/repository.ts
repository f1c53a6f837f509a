import { EnvironmentEvent } from '@switchyard/protos/merge_requests/events/v1/environment_event';
import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import { RepositoryCopiedEvent } from '@switchyard/protos/merge_requests/events/v1/repository_copied';
import { defineEvent } from '../event';

/** Repositories of forks, each once. Ids are `repository.copied:<project id>`. */
export const repositoryCopied = defineEvent({
  stream: 'merge-requests.repository-copies',
  version: 1,
  type: 'repository.copied',
  message: RepositoryCopiedEvent,
  key: (event) => String(event.projectId),
});

/** Environments that were made or deleted, in order per project. Ids are `environment_<fact>:<environment id>`. */
export const environmentEvents = defineEvent({
  stream: 'merge-requests.environment',
  version: 1,
  type: 'environment.changed',
  message: EnvironmentEvent,
  key: (event) => String(event.projectId),
});

/**
 * Created, moved and removed branches and tags, in order per project. Ids are `repository.pushed:<id of the intent>`.
 */
export const repositoryPushed = defineEvent({
  stream: 'merge-requests.repository',
  version: 1,
  type: 'repository.pushed',
  message: RepositoryPushedEvent,
  key: (event) => String(event.projectId),
});
