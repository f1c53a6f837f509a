import { notFound } from '@switchyard/errors';
import {
  type MergeRequestTarget,
  MergeRequestTargetServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_target';
import { type CallContext, implement, viewerOf } from '@switchyard/rpc';
import type { MergeRequestEdges } from '../application/merge-request.edges';
import type { MergeRequestView } from '../domain/merge-request-view';
import { mergeRequestUrl, presentMergeRequest } from '../presenters/merge-request.presenter';

/** Ids answered at once (see the proto). */
const maxIds = 100;

/** The caller acts for nobody. */
const itself = { callers: ['collaboration'] };

const caller = { callers: ['collaboration'], onBehalfOf: true };

/**
 * gRPC side of merge requests as targets of other services' rows: two statements, three with subscriptions, for any
 * number of ids.
 */
export function mergeRequestTargetHandler({ mergeRequests, directory, externalUrl, clock }: MergeRequestEdges) {
  const render = (view: MergeRequestView, subscribed: boolean | undefined): MergeRequestTarget => {
    const { id, iid, projectId, title } = view.mergeRequest;
    const shown = presentMergeRequest(view, { externalUrl, context: 'instance', now: clock() });
    const body = subscribed === undefined ? shown : { ...shown, subscribed };
    return {
      id,
      iid,
      projectId,
      readable: true,
      json: Buffer.from(JSON.stringify(body)),
      webUrl: mergeRequestUrl(view, externalUrl),
      title,
    };
  };
  const hidden = ({ mergeRequest: { id, iid, projectId } }: MergeRequestView): MergeRequestTarget => ({
    id,
    iid,
    projectId,
    readable: false,
    json: Buffer.alloc(0),
    webUrl: '',
    title: '',
  });
  const targetsOf = async (
    views: readonly MergeRequestView[],
    withSubscribed: boolean,
    context: CallContext,
  ): Promise<MergeRequestTarget[]> => {
    const [readable, subscribed] = await Promise.all([
      directory.readableProjects(
        viewerOf(context),
        views.map(({ project }) => project.id),
      ),
      withSubscribed
        ? mergeRequests.subscribedAmong(
            views.map(({ mergeRequest }) => mergeRequest.id),
            context.actor.userId,
          )
        : undefined,
    ]);
    return views.map((view) =>
      readable.has(view.project.id) ? render(view, subscribed?.has(view.mergeRequest.id)) : hidden(view),
    );
  };

  return implement(
    MergeRequestTargetServiceService,
    {
      async batchGet({ ids, withSubscribed }, context) {
        const views = await mergeRequests.viewsByIds(ids.slice(0, maxIds), viewerOf(context));
        return { targets: await targetsOf(views, withSubscribed, context) };
      },
      async find({ projectId, iid, withSubscribed }, context) {
        const view = await mergeRequests.view({ projectId, iid }, viewerOf(context));
        const [target] = view === undefined ? [] : await targetsOf([view], withSubscribed, context);
        if (target === undefined || !target.readable) throw notFound();
        return target;
      },
      async describe({ projectId, iid, id }, context) {
        const [view, readable] = await Promise.all([
          mergeRequests.view(id === 0 ? { projectId, iid } : { id }),
          directory.readableProjects(viewerOf(context), [projectId]),
        ]);
        if (view?.mergeRequest.projectId !== projectId || !readable.has(projectId)) throw notFound();
        const { mergeRequest: mr } = view;
        return {
          id: mr.id,
          iid: mr.iid,
          projectId: mr.projectId,
          authorId: mr.authorId,
          assigneeIds: [...view.assigneeIds],
          reviewerIds: [...view.reviewerIds],
          state: mr.state,
          discussionLocked: mr.discussionLocked ?? false,
          title: mr.title,
          webUrl: mergeRequestUrl(view, externalUrl),
          headSha: mr.sourceBranchExists ? (mr.sourceSha ?? '') : '',
        };
      },
      async endSubscription({ id, userId }) {
        if ((await mergeRequests.view({ id })) !== undefined) await mergeRequests.setSubscription(id, userId, false);
        return {};
      },
      listPeople: async ({ ids }) => ({ people: await mergeRequests.peopleOf(ids.slice(0, maxIds)) }),
    },
    { batchGet: caller, find: caller, describe: caller, listPeople: itself, endSubscription: itself },
  );
}
