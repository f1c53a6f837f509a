import type { Report } from '../domain/report';

/** The public report. */
export const presentReport = (report: Report) => ({
  id: report.id,
  project_id: report.projectId,
  pipeline_id: report.pipelineId,
  job_id: report.jobId === 0 ? null : report.jobId,
  file_type: 'cyclonedx',
  filename: report.fileName,
  size: report.size,
  sha256: report.sha256,
  components: report.components,
  created_at: report.createdAt,
});
