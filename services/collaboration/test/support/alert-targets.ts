import { notFound } from '@switchyard/errors';
import { type AlertTarget, AlertTargetServiceService } from '@switchyard/protos/alerts/v1/alert_target';
import { implement, type ServiceImplementation } from '@switchyard/rpc';

/** An alert as the stand-in for its service holds it. */
export interface StoredAlert {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  title: string;
  severity: string;
  status: string;
  version: number;
  /** Users who may not read it. */
  hiddenFrom?: number[];
}

/** Stands in for the service of alerts; notes each call. */
export function alertTargetService(
  alerts: ReadonlyMap<number, StoredAlert>,
  calls: string[],
  externalUrl: string,
): ServiceImplementation {
  const webUrl = ({ iid }: StoredAlert): string => `${externalUrl}/p/-/alert_management/${iid}/details`;
  const toMessage = (alert: StoredAlert, reader: number): AlertTarget => {
    const { id, iid, projectId, title, status } = alert;
    const readable = !alert.hiddenFrom?.includes(reader);
    const shown = { id, iid, project_id: projectId, title, status, web_url: webUrl(alert) };
    return {
      id,
      iid,
      projectId,
      readable,
      json: Buffer.from(readable ? JSON.stringify(shown) : ''),
      webUrl: readable ? webUrl(alert) : '',
      title: readable ? title : '',
    };
  };
  const find = (projectId: number, iid: number, reader: number): StoredAlert => {
    const alert = [...alerts.values()].find((one) => one.projectId === projectId && one.iid === iid);
    if (alert === undefined || alert.hiddenFrom?.includes(reader)) throw notFound();
    return alert;
  };
  const rule = { callers: ['collaboration'], onBehalfOf: true };
  return implement(
    AlertTargetServiceService,
    {
      async batchGet({ ids }, { actor }) {
        calls.push('alerts.batchGet');
        return { targets: ids.flatMap((id) => alerts.get(id) ?? []).map((alert) => toMessage(alert, actor.userId)) };
      },
      find: async ({ projectId, iid }, { actor }) => toMessage(find(projectId, iid, actor.userId), actor.userId),
      async describe({ projectId, iid }, { actor }) {
        const alert = find(projectId, iid, actor.userId);
        const { id, title, status } = alert;
        return { id, iid, projectId, title, status, webUrl: webUrl(alert), assigneeIds: [] };
      },
    },
    { batchGet: rule, find: rule, describe: rule },
  );
}
