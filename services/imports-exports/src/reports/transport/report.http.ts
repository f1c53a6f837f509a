import { AppError, forbidden, invalidParams } from '@switchyard/errors';
import { type ForwardedCall, type ForwardedEndpoint, readUploadForm } from '@switchyard/rpc';
import type { ReceiveReports, ReportPlace } from '../application/receive-report';
import { maxReportBytes, type Report } from '../domain/report';
import { presentReport } from '../presenters/report.presenter';

/** Milliseconds of an upload: a sixth of the time after which its unused blob is pruned. */
const uploadTimeoutMs = 600_000;

/** Fields that say what the file is; the rest of a runner's form is not read. */
const wanted: ReadonlySet<string> = new Set(['artifact_type', 'artifact_format']);

function placeOf({ claims, projectId, parts, query, request }: ForwardedCall): ReportPlace {
  const pipelineId = Number(parts[0]);
  const { actor } = claims;
  // A job reports on its own pipeline (G-13-10).
  if (actor?.job !== undefined && actor.job.pipelineId !== pipelineId) throw forbidden();
  return {
    projectId,
    pipelineId,
    jobId: Number(query.get('job_id') ?? 0),
    authorId: actor?.userId ?? 0,
    requestId: String(request.headers['x-request-id'] ?? ''),
  };
}

/** Refuses what is not a CycloneDX report. */
function requireKind(type: string | null | undefined, format: string | null | undefined): void {
  const problems = [
    ...(type === null || type === undefined || type === 'cyclonedx'
      ? []
      : ['artifact_type does not have a valid value']),
    ...(format === null || format === undefined || format === 'gzip' || format === 'raw'
      ? []
      : ['artifact_format does not have a valid value']),
  ];
  if (problems.length > 0) throw invalidParams(...problems);
}

/** Reports on the internal HTTP port (G-13-10); they stream. */
export function reportHttp(reports: ReceiveReports): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const { request, response, query } = call;
    const place = placeOf(call);
    requireKind(query.get('artifact_type'), query.get('artifact_format'));
    await reports.requirePlace(place);
    const format = (query.get('artifact_format') ?? undefined) as 'raw' | 'gzip' | undefined;
    let report: Report | undefined;
    const rules = { fileField: 'file', file: maxReportBytes, timeoutMs: uploadTimeoutMs, wanted };
    await readUploadForm(request, rules, async (filename, content, fields) => {
      async function* checked(): AsyncGenerator<Uint8Array> {
        yield* content;
        // Fields may follow the file.
        const said = await fields;
        requireKind(said.get('artifact_type'), said.get('artifact_format'));
      }
      report = await reports.receive(place, filename, checked(), format);
    });
    if (report === undefined) throw new AppError('invalid_params', { error: 'file is missing' });
    const body = Buffer.from(JSON.stringify(presentReport(report)));
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }).end(body);
  }

  return [{ methods: ['POST'], path: /^\/projects\/(\d{1,15})\/pipelines\/(\d{1,15})\/reports$/, run: upload }];
}
