import type { Reports } from '../../reports';
import type { ExportSource } from '../domain/dependency-list-export';
import type { ExportLease } from '../domain/export-work';
import { planExport } from './plan-export';

type Report = Awaited<ReturnType<Reports['ofPipelines']>>[number];

const gibibyte = 2 ** 30;
const pipeline = { pipelineId: 2, sha: 'a'.repeat(40), createdAt: new Date(0) };
const lockFile = (size: number, at: number) => ({ path: `${at}/go.mod`, blob: 'b', size });

/** How many sources an export of a pipeline is planned with. */
async function planned(given: { reports?: Pick<Report, 'textSize' | 'components'>[]; lockFiles?: number[] }) {
  let sources: readonly ExportSource[] = [];
  const plan = planExport({
    work: {
      projectsBelow: async () => [],
      plan: async (_one, some) => {
        sources = some;
      },
      extend: async () => true,
    },
    reports: { ofPipelines: async () => (given.reports ?? []).map((one) => ({ ...one, pipelineId: 2 }) as Report) },
    pipelines: { lockFiles: async () => (given.lockFiles ?? []).map(lockFile) } as never,
  });
  const one = { kind: 'pipeline', targetId: 1, pipeline, fullPath: 'a/b' };
  await plan({ export: one } as ExportLease, '');
  return sources.length;
}

it('an export is made of no more files and bytes than are read in time, and says which bound it exceeds', async () => {
  const said = (message: string) => ({
    kind: 'invalid',
    body: { message: `the list is made of more than ${message}` },
  });
  const report = { textSize: 4 * gibibyte, components: 2_000_000 };
  expect(await planned({ reports: [report] })).toBe(1);
  await expect(planned({ reports: [report, { textSize: 1, components: 0 }] })).rejects.toMatchObject(
    said('4294967296 bytes of reports and lock files'),
  );
  await expect(planned({ reports: [{ textSize: 1, components: 2_000_001 }] })).rejects.toMatchObject(
    said('2000000 components'),
  );
  const empty = (count: number) => Array.from({ length: count }, () => 0);
  expect(await planned({ lockFiles: empty(20_000) })).toBe(20_000);
  await expect(planned({ lockFiles: empty(20_001) })).rejects.toMatchObject(said('20000 reports and lock files'));
});

it('a lock file that is too large to be read does not count', async () => {
  expect(await planned({ lockFiles: [5 * gibibyte, 1] })).toBe(2);
});
