import {
  type EpicNeighbours,
  type EpicRef,
  EpicTreeServiceService,
} from '@switchyard/protos/collaboration/v1/epic_tree';
import { type CallContext, entity, fixedOrder, implement, page } from '@switchyard/rpc';
import { callerOf, presentIssue } from '../../issues';
import type {
  assignChildEpic,
  createChildEpic,
  listChildEpics,
  moveChildEpic,
  readEpicProgress,
  removeChildEpic,
} from '../application/child-epics';
import type {
  assignEpicIssue,
  LinkedIssue,
  listEpicIssues,
  moveEpicIssue,
  removeEpicIssue,
} from '../application/epic-issues';
import type { linkRelatedEpic, listRelatedEpics, unlinkRelatedEpic } from '../application/related-epics';
import { totalOf } from '../domain/epic-progress';
import type { EpicView } from '../domain/epic-view';
import { type LinkedEpics, linkTypeFor, type RelatedLinkType } from '../domain/related-epic';
import { presentEpic, presentLinkedEpic } from '../presenters/epic.presenter';

/** Use cases behind the service. */
export interface EpicTreeUseCases {
  readonly listEpicIssues: ReturnType<typeof listEpicIssues>;
  readonly assignEpicIssue: ReturnType<typeof assignEpicIssue>;
  readonly removeEpicIssue: ReturnType<typeof removeEpicIssue>;
  readonly moveEpicIssue: ReturnType<typeof moveEpicIssue>;
  readonly listChildEpics: ReturnType<typeof listChildEpics>;
  readonly assignChildEpic: ReturnType<typeof assignChildEpic>;
  readonly createChildEpic: ReturnType<typeof createChildEpic>;
  readonly removeChildEpic: ReturnType<typeof removeChildEpic>;
  readonly moveChildEpic: ReturnType<typeof moveChildEpic>;
  readonly readEpicProgress: ReturnType<typeof readEpicProgress>;
  readonly listRelatedEpics: ReturnType<typeof listRelatedEpics>;
  readonly linkRelatedEpic: ReturnType<typeof linkRelatedEpic>;
  readonly unlinkRelatedEpic: ReturnType<typeof unlinkRelatedEpic>;
}

const keyOf = (epic: EpicRef | undefined) => ({ groupId: epic?.groupId ?? 0, iid: epic?.iid ?? 0 });

const neighboursOf = (given: EpicNeighbours | undefined) => ({
  after: given?.moveBeforeId || undefined,
  before: given?.moveAfterId || undefined,
});

/** gRPC side of what epics are made of. */
export function epicTreeHandler(
  useCases: EpicTreeUseCases,
  { externalUrl, clock }: { readonly externalUrl: string; readonly clock: () => Date },
) {
  const issueOf = (view: Parameters<typeof presentIssue>[0], context: CallContext) =>
    presentIssue(view, { externalUrl, context: 'instance', now: clock(), tier: context.access?.tier ?? '' });
  const epicOf = (view: EpicView) => presentEpic(view, { externalUrl, groupId: view.epic.groupId });
  const listed = (view: Parameters<typeof presentIssue>[0], context: CallContext) => ({
    ...issueOf(view, context),
    epic_issue_id: view.epic?.link_id ?? null,
    relative_position: view.epic?.relative_position ?? null,
  });
  const linked = ({ link, epic, issue }: LinkedIssue, context: CallContext, status?: number) =>
    entity(
      {
        id: link.id,
        relative_position: link.relativePosition,
        epic: epicOf(epic),
        issue: issueOf(issue, context),
      },
      status,
    );
  const children = (views: readonly EpicView[]) =>
    page(views.map(epicOf), {
      keyset: false,
      page: 1,
      perPage: Math.max(1, views.length),
      total: views.length,
      hasNext: false,
    });

  const related = ({ link, source, target }: LinkedEpics) =>
    entity({
      id: link.id,
      source_epic: epicOf(source),
      target_epic: epicOf(target),
      link_type: link.linkType,
      created_at: link.createdAt,
      updated_at: link.updatedAt,
    });

  return implement(EpicTreeServiceService, {
    async listRelatedEpics({ epic, page: wanted }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listRelatedEpics(callerOf(context), keyOf(epic), request);
      return page(
        found.rows.map(({ view, link }) => ({
          ...epicOf(view),
          related_epic_link_id: link.id,
          link_type: linkTypeFor(found.epicId, link),
          link_created_at: link.createdAt,
          link_updated_at: link.updatedAt,
        })),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    linkRelatedEpic: async ({ epic, targetGroup: group, targetIid: iid, linkType }, context) => {
      const wanted = { group, iid, type: linkType as RelatedLinkType };
      return related(await useCases.linkRelatedEpic(callerOf(context), keyOf(epic), wanted));
    },
    unlinkRelatedEpic: async ({ epic, linkId }, context) =>
      related(await useCases.unlinkRelatedEpic(callerOf(context), keyOf(epic), { linkId })),
    async listEpicIssues({ epic, page: wanted }, context) {
      const request = fixedOrder(wanted, 'epic_position', 'asc');
      const found = await useCases.listEpicIssues(callerOf(context), keyOf(epic), request);
      return page(
        found.rows.map((view) => listed(view, context)),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    assignEpicIssue: async ({ epic, issueId }, context) =>
      linked(await useCases.assignEpicIssue(callerOf(context), keyOf(epic), issueId), context),
    removeEpicIssue: async ({ epic, epicIssueId }, context) =>
      linked(await useCases.removeEpicIssue(callerOf(context), keyOf(epic), epicIssueId), context),
    async moveEpicIssue({ epic, epicIssueId, neighbours }, context) {
      const found = await useCases.moveEpicIssue(callerOf(context), keyOf(epic), epicIssueId, neighboursOf(neighbours));
      return page(
        found.rows.map((view) => listed(view, context)),
        { ...found.page, keyset: false },
      );
    },
    listChildEpics: async ({ epic }, context) =>
      children(await useCases.listChildEpics(callerOf(context), keyOf(epic))),
    assignChildEpic: async ({ epic, childEpicId }, context) =>
      entity(epicOf(await useCases.assignChildEpic(callerOf(context), keyOf(epic), childEpicId))),
    createChildEpic: async ({ epic, title, confidential }, context) =>
      entity(
        presentLinkedEpic(
          await useCases.createChildEpic(callerOf(context), keyOf(epic), { title, confidential }),
          externalUrl,
        ),
      ),
    moveChildEpic: async ({ epic, childEpicId, neighbours }, context) =>
      children(await useCases.moveChildEpic(callerOf(context), keyOf(epic), childEpicId, neighboursOf(neighbours))),
    removeChildEpic: async ({ epic, childEpicId }, context) =>
      entity(epicOf(await useCases.removeChildEpic(callerOf(context), keyOf(epic), childEpicId))),
    async getEpicProgress({ epic }, context) {
      const rows = await useCases.readEpicProgress(callerOf(context), keyOf(epic));
      return entity({
        ...totalOf(rows),
        children: rows.flatMap(({ child, ...counts }) =>
          child === undefined
            ? []
            : [
                {
                  id: child.id,
                  iid: child.iid,
                  group_id: child.groupId,
                  title: child.title,
                  state: child.state,
                  ...counts,
                },
              ],
        ),
      });
    },
  });
}
