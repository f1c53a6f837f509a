import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import { notFound, unauthorized } from '@switchyard/errors';
import {
  type AlertAssigneeFilter,
  AlertAssigneeFilter_Kind,
  AlertServiceService,
  type ListAlertsRequest,
} from '@switchyard/protos/alerts/v1/alert';
import {
  type CallContext,
  entity,
  implement,
  json,
  page,
  pageRequest,
  type ServiceImplementation,
  viewerOf,
} from '@switchyard/rpc';
import type { AlertSeverity } from '../../payloads';
import type { requestIncident } from '../application/request-incident';
import type { updateAlert } from '../application/update-alert';
import type { AlertStatus } from '../domain/alert';
import type { AlertFilter, AlertView, AssigneeMatch } from '../domain/alert-view';
import { presentAlert, presentIncidentReference, renderAlert } from '../presenters/alert.presenter';
import { presentAlertReceipt } from '../presenters/alert-receipt.presenter';
import { scopeOf } from './project-scope';

/** Use cases and look-ups behind the service. */
export interface AlertUseCases {
  readonly listAlerts: (
    query: { readonly projectId: number; readonly filter: AlertFilter; readonly viewer: Viewer },
    request: PageRequest,
  ) => Promise<{ rows: AlertView[]; page: PageInfo }>;
  readonly findAlert: (projectId: number, iid: number, viewer: Viewer) => Promise<AlertView | undefined>;
  readonly updateAlert: ReturnType<typeof updateAlert>;
  readonly requestIncident: ReturnType<typeof requestIncident>;
  readonly findReceipt: (
    projectId: number,
    id: string,
  ) => Promise<Parameters<typeof presentAlertReceipt>[0] | undefined>;
}

const signedIn = ({ actor }: CallContext): number => {
  if (actor.userId === 0) throw unauthorized();
  return actor.userId;
};

function toAssignee(filter: AlertAssigneeFilter | undefined): AssigneeMatch | undefined {
  switch (filter?.kind) {
    case AlertAssigneeFilter_Kind.KIND_NONE:
      return 'none';
    case AlertAssigneeFilter_Kind.KIND_ANY:
      return 'any';
    case AlertAssigneeFilter_Kind.KIND_USER:
      return filter.userId > 0 ? { userId: filter.userId } : { username: filter.username };
    default:
      return undefined;
  }
}

const toFilter = ({
  statuses,
  severities,
  search,
  fingerprint,
  environment,
  assignee,
}: ListAlertsRequest): AlertFilter => ({
  statuses: statuses.length === 0 ? undefined : (statuses as AlertStatus[]),
  severities: severities.length === 0 ? undefined : (severities as AlertSeverity[]),
  search: search || undefined,
  fingerprint: fingerprint || undefined,
  environment: environment || undefined,
  assignee: toAssignee(assignee),
});

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Serves `AlertService`.
 * @param draining aborted when the process stops, which ends long waits
 */
export function alertHandler(
  useCases: AlertUseCases,
  externalUrl: string,
  draining: AbortSignal,
): ServiceImplementation {
  async function find(projectId: number, iid: number, context: CallContext): Promise<AlertView> {
    const found = await useCases.findAlert(scopeOf(context, projectId).projectId, iid, viewerOf(context));
    if (found === undefined) throw notFound('Alert');
    return found;
  }

  return implement(AlertServiceService, {
    async listAlerts(request, context) {
      const { projectId } = scopeOf(context, request.projectId);
      const wanted = pageRequest(request.page, { orderBy: 'created_at', descending: true });
      const found = await useCases.listAlerts(
        { projectId, filter: toFilter(request), viewer: viewerOf(context) },
        wanted,
      );
      return page(
        found.rows.map((alert) => presentAlert(alert, externalUrl)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },

    getAlert: async ({ projectId, iid }, context) =>
      json(renderAlert(await find(projectId, iid, context), externalUrl)),

    async updateAlert({ projectId, iid, status, assignees }, context) {
      await useCases.updateAlert(
        signedIn(context),
        { projectId: scopeOf(context, projectId).projectId, iid },
        { status: status as AlertStatus | undefined, assigneeIds: assignees?.userIds },
      );
      return json(renderAlert(await find(projectId, iid, context), externalUrl));
    },

    async requestIncident({ projectId, iid }, context) {
      const key = { projectId: scopeOf(context, projectId).projectId, iid };
      const waiting = AbortSignal.any([draining, context.signal]);
      const incident = await useCases.requestIncident(signedIn(context), key, waiting);
      if (incident === undefined) return entity({ message: '202 Accepted' }, 202);
      const projectPath = context.access?.fullPath ?? '';
      return entity(presentIncidentReference({ ...incident, projectPath }, externalUrl), 201);
    },

    async getAlertReceipt({ projectId, receiptId }, context) {
      const scope = scopeOf(context, projectId);
      const receipt = uuid.test(receiptId) ? await useCases.findReceipt(scope.projectId, receiptId) : undefined;
      if (receipt === undefined) throw notFound('Receipt');
      return entity(presentAlertReceipt(receipt));
    },
  });
}
