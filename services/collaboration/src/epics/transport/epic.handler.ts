import type { PageInfo, PageRequest } from '@switchyard/database';
import { type UserRow, userReference } from '@switchyard/directory';
import { inlineRenderer } from '@switchyard/markdown';
import { type EpicDates, EpicServiceService, type UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import { entity, fixedOrder, implement, nothing, page, pageRequest, viewerOf } from '@switchyard/rpc';
import { callerOf, type IssueCaller } from '../../issues';
import type { createEpic } from '../application/create-epic';
import type { deleteEpic } from '../application/delete-epic';
import type { EpicList, EpicNumber } from '../application/epic.ports';
import type { EpicDetails, readEpic, subscribeToEpic } from '../application/read-epic';
import type { UpdateEpicCommand, updateEpic } from '../application/update-epic';
import { presentEpic } from '../presenters/epic.presenter';
import { toEpicFilter } from './epic-filter.mapper';

/** Use cases behind the service. */
export interface EpicUseCases {
  readonly readEpic: ReturnType<typeof readEpic>;
  readonly createEpic: ReturnType<typeof createEpic>;
  readonly updateEpic: ReturnType<typeof updateEpic>;
  readonly deleteEpic: ReturnType<typeof deleteEpic>;
  readonly subscribeToEpic: ReturnType<typeof subscribeToEpic>;
  readonly listParticipantsOfEpic: (
    caller: IssueCaller,
    key: EpicNumber,
    request: PageRequest,
  ) => Promise<{ users: UserRow[]; page: PageInfo }>;
}

const toDates = (dates: EpicDates | undefined) => ({
  startDateIsFixed: dates?.startDateIsFixed,
  startDateFixed: dates?.startDateFixed === '' ? null : dates?.startDateFixed,
  dueDateIsFixed: dates?.dueDateIsFixed,
  dueDateFixed: dates?.dueDateFixed === '' ? null : dates?.dueDateFixed,
});

/** Commands leave out what the request leaves out. */
const toUpdate = (request: UpdateEpicRequest): UpdateEpicCommand => ({
  title: request.title,
  description: request.description,
  stateEvent: request.stateEvent as UpdateEpicCommand['stateEvent'],
  labels: request.labels?.titles,
  addLabels: request.addLabels,
  removeLabels: request.removeLabels,
  confidential: request.confidential,
  color: request.color,
  ...toDates(request.dates),
  parentId: request.parentId === 0 ? null : request.parentId,
  updatedAt: request.updatedAt,
});

/** gRPC side of epics. */
export function epicHandler(
  useCases: EpicUseCases,
  { lists, externalUrl }: { readonly lists: EpicList; readonly externalUrl: string },
) {
  const shown = ({ view, subscribed }: EpicDetails) =>
    entity({ ...presentEpic(view, { externalUrl, groupId: view.epic.groupId }), subscribed });

  return implement(EpicServiceService, {
    async listEpics({ groupId, includeAncestorGroups: above, includeDescendantGroups: below, ...request }, context) {
      const wanted = pageRequest(request.page, { orderBy: 'created_at', descending: true });
      const query = {
        scope: { groupId, above, below },
        filter: toEpicFilter(request.filter),
        viewer: viewerOf(context),
      };
      const found = await lists.page(query, wanted);
      const how = { externalUrl, groupId, labelHtml: request.withLabelsDetails ? inlineRenderer() : undefined };
      return page(
        found.rows.map((view) => presentEpic(view, how)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },

    getEpic: async (key, context) => shown(await useCases.readEpic(callerOf(context), key)),

    async createEpic({ dates, color, ...request }, context) {
      const caller = callerOf(context);
      const { groupId } = request;
      const fixed = toDates(dates);
      const iid = await useCases.createEpic(caller, {
        ...request,
        color: color || undefined,
        parentId: request.parentId || undefined,
        dates: {
          startDateIsFixed: fixed.startDateIsFixed ?? false,
          startDateFixed: fixed.startDateFixed ?? undefined,
          dueDateIsFixed: fixed.dueDateIsFixed ?? false,
          dueDateFixed: fixed.dueDateFixed ?? undefined,
        },
      });
      return shown(await useCases.readEpic(caller, { groupId, iid }));
    },

    async updateEpic(request, context) {
      const caller = callerOf(context);
      await useCases.updateEpic(caller, request, toUpdate(request));
      return shown(await useCases.readEpic(caller, request));
    },

    async deleteEpic({ ifUnmodifiedSince, ...key }, context) {
      await useCases.deleteEpic(callerOf(context), key, ifUnmodifiedSince);
      return nothing();
    },

    async setEpicSubscription({ subscribed, ...key }, context) {
      const details = await useCases.subscribeToEpic(callerOf(context), key, subscribed);
      return details === undefined ? nothing(304) : shown(details);
    },

    async listEpicParticipants({ page: wanted, ...key }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listParticipantsOfEpic(callerOf(context), key, request);
      return page(
        found.users.map((user) => userReference(user, externalUrl)),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
  });
}
