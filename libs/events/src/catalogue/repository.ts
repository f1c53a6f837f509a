import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import { defineEvent } from '../event';

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
