import type { PayloadItem, ReadPayload } from '../../payloads';

function presentItem(item: PayloadItem) {
  if (item.kind === 'rejected')
    return { outcome: 'rejected', reason: item.reason, title: item.title ?? null, alert: null };
  const { alert } = item;
  return {
    outcome: alert.isEnd ? 'end' : 'firing',
    reason: null,
    title: alert.title,
    alert: {
      title: alert.title,
      description: alert.description ?? null,
      severity: alert.severity,
      service: alert.service ?? null,
      monitoring_tool: alert.monitoringTool ?? null,
      hosts: alert.hosts,
      fingerprint: alert.fingerprint ?? null,
      started_at: alert.startsAt ?? null,
      ended_at: alert.endsAt ?? null,
      environment: alert.environment ?? null,
      runbook: alert.runbook ?? null,
      query: alert.query ?? null,
      incident_markdown: alert.incidentMarkdown ?? null,
      details: Object.fromEntries(alert.attributes.map(({ name, value }) => [name, value])),
    },
  };
}

/** The public preview of a payload: each item is firing, an end, or rejected. */
export const presentPayloadPreview = ({ format, items }: ReadPayload) => ({ format, items: items.map(presentItem) });
