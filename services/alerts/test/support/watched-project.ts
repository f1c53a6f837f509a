import { sql } from '@switchyard/database/sql';
import {
  CreateHttpIntegrationRequest,
  HttpIntegrationServiceService,
} from '@switchyard/protos/alerts/v1/http_integration';
import { IngestionServiceReceiveRequest, IngestionServiceService } from '@switchyard/protos/alerts/v1/ingestion';
import type { DirectoryProject } from '@switchyard/protos/groups_admin/v1/directory';
import { type Installation, json } from './installation';

/** The columns of an alert that tests check. */
export interface AlertRow {
  iid: number;
  title: string;
  status: number;
  events: number;
  fingerprint: string | null;
  started_at: Date;
  ended_at: Date | null;
}

/** The outcome of an item in its receipt. */
export interface ReceiptItem {
  outcome: string;
  reason?: string;
  iid?: number;
  title?: string;
}

/** The reply to the sender. */
export interface SenderReply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies freely
  body: any;
  receiptId: string;
}

/** A project with an integration, and a sender. */
export interface WatchedProject {
  readonly id: number;
  readonly path: string;
  readonly endpointId: string;
  readonly key: string;
  /** Sends a payload, as JSON unless it is text or bytes. */
  send(
    payload: unknown,
    given?: Partial<{
      path: string;
      endpointId: string;
      key: string;
      userAgent: string;
      by: Pick<Installation, 'client'>;
    }>,
  ): Promise<SenderReply>;
  /** Alerts by number. */
  alerts(): Promise<AlertRow[]>;
  /** Items of a receipt. */
  receipt(reply: SenderReply): Promise<ReceiptItem[]>;
}

/** Makes a project with an active integration. */
export async function watchedProject(
  here: Installation,
  {
    type = 'HTTP',
    tier = 'ultimate',
    project = {},
  }: { type?: string; tier?: string; project?: Partial<DirectoryProject> } = {},
): Promise<WatchedProject> {
  const namespace = here.directory.namespace({ tier });
  const { id, path } = here.directory.project(namespace.id, project);
  const fullPath = `${namespace.fullPath}/${path}`;
  here.locations.set(fullPath.toLowerCase(), id);
  const made = json(
    await here
      .client(HttpIntegrationServiceService)
      .createHttpIntegration(
        CreateHttpIntegrationRequest.fromPartial({ projectId: id, name: 'Sender', active: true, type }),
        here.as({ id: 7 }, { id, tier }),
      ),
  );
  const endpointId = /([0-9a-f]{16})\.json$/.exec(made.url)?.[1] ?? '';
  return {
    id,
    path: fullPath,
    endpointId,
    key: made.token,
    async send(payload, { by = here, ...given } = {}) {
      const content =
        payload instanceof Buffer
          ? payload
          : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
      const request = IngestionServiceReceiveRequest.fromPartial({
        projectPath: given.path ?? fullPath,
        endpointId: given.endpointId ?? endpointId,
        key: given.key ?? made.token,
        userAgent: given.userAgent ?? 'test',
        content,
      });
      const reply = await by.client(IngestionServiceService).receive(request, { requestId: 'test' });
      const body = reply.json.length === 0 ? undefined : JSON.parse(reply.json.toString());
      return { status: reply.status, body, receiptId: reply.receiptId };
    },
    alerts: () =>
      here.db.query<AlertRow>(sql`
        select iid, title, status, events, fingerprint, started_at, ended_at from alerts where project_id = ${id} order by iid`),
    async receipt({ receiptId }) {
      const row = await here.db.one<{ items: ReceiptItem[] }>(
        sql`select items from alert_receipts where id = ${receiptId}::uuid`,
      );
      return row?.items ?? [];
    },
  };
}

/** An item of a message of Alertmanager. */
export const amItem = (given: object = {}) => ({
  status: 'firing',
  labels: { alertname: 'Down', instance: 'a' },
  annotations: {},
  startsAt: '2026-03-01T10:00:00.000Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus/graph?g0.expr=up',
  fingerprint: 'f00d',
  ...given,
});

/** A message of Alertmanager. */
export const amGroup = (alerts: unknown[], status = 'firing') => ({
  receiver: 'team',
  status,
  alerts,
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager',
  version: '4',
  groupKey: '{}:{}',
  truncatedAlerts: 0,
});
