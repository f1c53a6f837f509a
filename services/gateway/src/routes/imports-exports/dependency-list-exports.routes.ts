import { DependencyListExportServiceService } from '@switchyard/protos/imports_exports/v1/dependency_list_export';
import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import { boolean, documented, integer, oneOf } from '../../http/params';
import { defineRoute, type HandlerContext, type Located } from '../../http/route';

const section = 'Dependency list exports';
const tier = 'ultimate' as const;
const onePath = '/dependency_list_exports/:export_id' as const;

const one = { export_id: integer({ min: 0 }) };

/** Where an export lies. */
async function place({
  path,
  call,
}: Pick<HandlerContext<Record<never, never>, typeof one, undefined>, 'path' | 'call'>): Promise<Located> {
  const found = await call(DependencyListExportServiceService).locateDependencyListExport({ exportId: path.export_id });
  return found.groupId > 0 ? { groupId: found.groupId } : { projectId: found.projectId };
}

/** Who reads an export needs to read the dependencies of its project or group still. */
const reading = {
  access: { located: 'read_dependency', orGroup: 'read_group_dependency' },
  needsToken: true,
  tier,
  path_params: one,
  locate: { thing: '', read: 'read_project', place },
} as const;

const params = {
  export_type: documented(oneOf('sbom'), { description: 'The one kind of export.' }).default('sbom'),
  send_email: documented(boolean(), { description: 'Mail the author when it has ended.' }).default(false),
  format: documented(oneOf('cyclonedx', 'spdx'), { description: 'CycloneDX, or SPDX 2.3.' }).default('cyclonedx'),
  spec_version: documented(oneOf('1.4', '1.5', '1.6'), { description: 'Version of CycloneDX.' }).default('1.4'),
};

const toForm = (given: { format: string; spec_version: string; send_email: boolean }) => ({
  format: given.format,
  specVersion: given.spec_version,
  sendEmail: given.send_email,
});

const description =
  'Components of all CycloneDX reports of a pipeline, without doubles, with licences, digests and what depends on what; where a pipeline has no report, those of the lock files of its commit. The same input gives the same bytes. The file is there for an hour, for its author alone.';

/** Exports of dependency lists (api.md 4.14). */
export const dependencyListExportRoutes = [
  defineRoute({
    method: 'post',
    path: '/pipelines/:pipeline_id/dependency_list_exports',
    section,
    summary: 'Export the dependency list of a pipeline',
    docs: { description, fails: [429] },
    access: { located: 'read_dependency' },
    tier,
    path_params: { pipeline_id: integer({ min: 0 }) },
    params,
    locate: {
      thing: 'Pipeline',
      read: 'read_pipeline',
      place: ({ path, call }) => call(PipelineServiceService).locatePipeline({ pipelineId: path.pipeline_id }),
    },
    returns: { 201: 'DependencyListExport' },
    handle: ({ access, path, params: given, call }) =>
      call(DependencyListExportServiceService).createDependencyListExport({
        target: { $case: 'pipeline', value: { projectId: access.id, pipelineId: path.pipeline_id } },
        ...toForm(given),
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/dependency_list_exports',
    section,
    summary: 'Export the dependency list of a project',
    docs: { description: `Of the newest pipeline of the default branch. ${description}`, fails: [422, 429] },
    access: { project: 'read_dependency' },
    tier,
    params,
    returns: { 201: 'DependencyListExport' },
    handle: ({ access, params: given, call }) =>
      call(DependencyListExportServiceService).createDependencyListExport({
        target: { $case: 'projectId', value: access.id },
        ...toForm(given),
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/groups/:id/dependency_list_exports',
    section,
    summary: 'Export the dependency list of a group',
    docs: {
      description: `Of the newest pipelines of the default branches of the projects below it, at most 2,000. ${description}`,
      fails: [429],
    },
    access: { group: 'read_group_dependency' },
    tier,
    params,
    returns: { 201: 'DependencyListExport' },
    handle: ({ access, params: given, call }) =>
      call(DependencyListExportServiceService).createDependencyListExport({
        target: { $case: 'groupId', value: access.id },
        ...toForm(given),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/dependency_list_exports/signing_key',
    section,
    summary: 'Get the key that verifies exports',
    docs: { description: 'The public key of the signatures of exports: Ed25519, in the form that OpenSSL reads.' },
    access: 'public',
    returns: { 200: 'ExportSigningKey' },
    handle: ({ call }) => call(DependencyListExportServiceService).getSigningKey({}),
  }),
  defineRoute({
    method: 'get',
    path: onePath,
    section,
    summary: 'Get an export of a dependency list',
    docs: { description: 'Status 202 with `Poll-Interval`, in milliseconds, until it has ended.' },
    ...reading,
    pollInterval: 5_000,
    returns: { 200: 'DependencyListExport', 202: 'DependencyListExport' },
    handle: ({ path, call }) =>
      call(DependencyListExportServiceService).getDependencyListExport({ exportId: path.export_id }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/download`,
    section,
    summary: 'Download an export of a dependency list',
    docs: { contentTypes: ['application/json'] },
    ...reading,
    returns: { 200: undefined },
    handle: async ({ path }) => ({
      forward: { to: 'imports-exports', path: `/dependency_list_exports/${path.export_id}/download` },
    }),
  }),
  defineRoute({
    method: 'get',
    path: `${onePath}/signature`,
    section,
    summary: 'Get the signature of an export of a dependency list',
    docs: {
      description:
        'Ed25519 (RFC 8032) over the bytes of the download: 64 bytes. The key is at `/dependency_list_exports/signing_key`.',
      contentTypes: ['application/octet-stream'],
    },
    ...reading,
    returns: { 200: undefined },
    async handle({ path, call }) {
      const found = await call(DependencyListExportServiceService).getDependencyListExportSignature({
        exportId: path.export_id,
      });
      return {
        raw: found.signature,
        contentType: 'application/octet-stream',
        headers: { 'Content-Disposition': `attachment; filename="${found.filename}.sig"` },
      };
    },
  }),
];
