import { badRequest } from '@switchyard/errors';
import { type ChangeScope, ChangeServiceService } from '@switchyard/protos/groups_admin/v1/change';
import { implement, json, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { pageSize, positionOf, type ReadChanges } from '../application/read-changes';
import type { WatchChanges } from '../application/watch-changes';
import { cursorOf } from '../domain/change-body';
import type { FeedScope } from '../domain/feed';
import { presentChange, presentChanges } from '../presenters/change.presenter';

function scopeOf(scope: ChangeScope | undefined): FeedScope {
  if (scope?.of === undefined) throw badRequest('a scope is required');
  return { kind: scope.of.$case === 'projectId' ? 'project' : 'group', id: scope.of.value };
}

/** ChangeService. */
export const changeHandler = (read: ReadChanges, feeds: WatchChanges): ServiceImplementation =>
  implement(ChangeServiceService, {
    async listChanges({ scope, after, limit }, context) {
      const most = limit === 0 ? pageSize : Math.min(limit, pageSize);
      return json(presentChanges(await read(scopeOf(scope), positionOf(after), most, viewerOf(context))));
    },

    async *watchChanges({ scope, after }, context) {
      const steps = feeds.watch(scopeOf(scope), positionOf(after), viewerOf(context), context.signal);
      for await (const { cursor, change } of steps)
        yield {
          cursor: cursorOf(cursor),
          json: change === undefined ? Buffer.alloc(0) : Buffer.from(presentChange(change)),
        };
    },
  });
