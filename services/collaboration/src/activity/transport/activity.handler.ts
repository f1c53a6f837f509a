import type { PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { type EventFilter, EventServiceService } from '@switchyard/protos/collaboration/v1/event';
import type { PageRequest as WirePageRequest } from '@switchyard/protos/rpc/v1/representation';
import {
  type CallContext,
  implement,
  pageOfLongRows,
  pageRequest,
  type ServiceImplementation,
  signedIn,
} from '@switchyard/rpc';
import type { ActivityFilter } from '../domain/activity';
import { presentActivity } from '../presenters/activity.presenter';
import type { ActivityList, ActivityScope } from '../storage/activity.list';

const filterOf = (filter: EventFilter | undefined): ActivityFilter => ({
  action: filter?.action || undefined,
  targetType: filter?.targetType || undefined,
  before: filter?.before || undefined,
  after: filter?.after || undefined,
});

// The only order is by time (api.md 4.8).
const pageOf = (wire: WirePageRequest | undefined): PageRequest => ({
  ...pageRequest(wire, { orderBy: 'created_at', descending: true }),
  orderBy: 'created_at',
});

/** Serves `EventService`. */
export function activityHandler(list: ActivityList, externalUrl: string): ServiceImplementation {
  const answer = async (
    { actor }: CallContext,
    scope: ActivityScope,
    filter: EventFilter | undefined,
    wanted: PageRequest,
  ) => {
    const found = await list.page(actor, scope, filterOf(filter), wanted);
    const ofProject = scope !== 'member_projects' && 'projectId' in scope;
    // Comments are printed whole.
    return pageOfLongRows(
      found.rows.map((event) => presentActivity(event, externalUrl, ofProject)),
      { ...found.page, keyset: wanted.mode === 'keyset' },
    );
  };
  return implement(EventServiceService, {
    listEvents: (request, context) => {
      const { userId } = signedIn(context).actor;
      const scope = request.allProjects ? 'member_projects' : { authorId: userId };
      return answer(context, scope, request.filter, pageOf(request.page));
    },
    listUserEvents: async (request, context) => {
      const author = await list.author(request.user);
      if (author === undefined) throw notFound('User');
      const { actor } = context;
      const hidden = author.private_profile && actor.userId !== author.id && !actor.admin;
      // Ids of users begin at 1, so this list is empty.
      return answer(context, { authorId: hidden ? 0 : author.id }, request.filter, pageOf(request.page));
    },
    listProjectEvents: (request, context) =>
      answer(context, { projectId: request.projectId }, request.filter, pageOf(request.page)),
  });
}
