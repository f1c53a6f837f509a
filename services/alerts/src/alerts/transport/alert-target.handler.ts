import type { Viewer } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import { type AlertTarget, AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import { implement, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import type { AlertView } from '../domain/alert-view';
import { alertUrl, presentAlert } from '../presenters/alert.presenter';

/** Look-ups behind the service. */
export interface AlertTargets {
  readonly alertsByIds: (ids: readonly number[], viewer: Viewer) => Promise<{ view: AlertView; readable: boolean }[]>;
  readonly findReadableAlert: (projectId: number, iid: number, viewer: Viewer) => Promise<AlertView | undefined>;
}

/** Most ids of one call (see the proto). */
const maxIds = 100;

const caller = { callers: ['collaboration'], onBehalfOf: true };

/** Serves `AlertTargetService`: one statement for any number of ids. */
export function alertTargetHandler(
  { alertsByIds, findReadableAlert }: AlertTargets,
  externalUrl: string,
): ServiceImplementation {
  const toTarget = (view: AlertView, readable = true): AlertTarget => ({
    id: view.id,
    iid: view.iid,
    projectId: view.projectId,
    readable,
    json: readable ? Buffer.from(JSON.stringify(presentAlert(view, externalUrl))) : Buffer.alloc(0),
    webUrl: readable ? alertUrl(view, externalUrl) : '',
    title: readable ? view.title : '',
  });
  const find = async (projectId: number, iid: number, viewer: Viewer): Promise<AlertView> => {
    const view = await findReadableAlert(projectId, iid, viewer);
    if (view === undefined) throw notFound();
    return view;
  };

  return implement(
    AlertTargetServiceService,
    {
      async batchGet({ ids }, context) {
        const found = await alertsByIds(ids.slice(0, maxIds), viewerOf(context));
        return { targets: found.map(({ view, readable }) => toTarget(view, readable)) };
      },
      find: async ({ projectId, iid }, context) => toTarget(await find(projectId, iid, viewerOf(context))),
      async describe({ projectId, iid }, context) {
        const view = await find(projectId, iid, viewerOf(context));
        return {
          id: view.id,
          iid: view.iid,
          projectId: view.projectId,
          status: view.status,
          title: view.title,
          webUrl: alertUrl(view, externalUrl),
          assigneeIds: view.assignees.map(({ id }) => id),
        };
      },
    },
    { batchGet: caller, find: caller, describe: caller },
  );
}
