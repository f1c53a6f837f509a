import type { MetricImage } from '../domain/metric-image';

/** The public image; the gateway serves its content at `file_path`, below the external address. */
export const presentMetricImage = (
  { id, createdAt, filename, url, urlText }: MetricImage,
  { projectId, iid }: { projectId: number; iid: number },
) => ({
  id,
  created_at: createdAt,
  filename,
  file_path: `/api/v4/projects/${projectId}/alert_management_alerts/${iid}/metric_images/${id}/file`,
  url: url ?? null,
  url_text: urlText ?? null,
});
