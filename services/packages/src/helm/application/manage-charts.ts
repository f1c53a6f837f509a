import { invalidParams } from '@switchyard/errors';
import { type ArchiveProblem, type Contents, inspectArchive } from '../../contents';
import type { PackagesArea, Publisher } from '../../packages';
import type { Channel, ChannelState, ChartFile, IndexedChart } from '../domain/channel';
import { type ChartMetadata, chartBounds, chartFileName, readChart } from '../domain/chart';
import type { HelmStore } from './helm.ports';
import { readChartYaml } from './read-chart-yaml';

/** What the use cases work with. */
export interface ChartEdges {
  readonly store: HelmStore;
  readonly packages: Pick<PackagesArea, 'publishReceived' | 'recordDownload'>;
  readonly contents: Pick<Contents, 'receive'>;
}

const problems: Readonly<Record<ArchiveProblem, string>> = {
  no_archive: 'chart is not a gzipped tar archive',
  unpacks_to_too_much: 'chart unpacks to too much',
  file_too_large: 'Chart.yaml is too large',
  file_twice: 'chart has more than one Chart.yaml',
  link_or_device: 'chart has a link or a device',
  named_twice: 'chart names a file in two ways',
  leads_out: 'chart has a file outside of its folder',
};

function chartOf(chartYaml: Buffer | undefined): ChartMetadata {
  if (chartYaml === undefined) throw invalidParams('chart has no Chart.yaml');
  const read = readChart(readChartYaml(chartYaml));
  if ('problems' in read) throw invalidParams(...read.problems);
  return read.chart;
}

/** The use cases of Helm charts; the gateway has checked what the caller may do. */
export const manageCharts = ({ store, packages, contents }: ChartEdges) => ({
  /**
   * Publishes a chart of at most `limit` bytes under the name and version of its Chart.yaml. One that is there already
   * stays, and is served no more. Fails with `invalid_params`, and as `Publishing` does; then nothing is kept.
   */
  async publish(
    { projectId, channel }: Channel,
    publisher: Publisher,
    content: AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<void> {
    const archive = inspectArchive({
      unpacked: chartBounds.unpacked,
      entries: chartBounds.entries,
      wanted: 'Chart.yaml',
      wantedBytes: chartBounds.chartYaml,
      refuse: (problem) => invalidParams(problems[problem]),
    });
    await contents.receive(archive.through(content), limit, async (received) => {
      const chart = chartOf(await archive.file());
      const key = { projectId, format: 'helm' as const, name: chart.name, version: chart.version };
      const fileMetadata = { channel, chart };
      const fileName = chartFileName(chart);
      return packages.publishReceived({ key, fileName, publisher, fileMetadata }, received, async (tx, packageId) => {
        // `app` 1.0.0-1.0.0 and `app-1.0.0` 1.0.0 would be one file to Helm.
        if (await store.isTaken(tx, { projectId, channel }, fileName, packageId))
          throw invalidParams('chart has the file name of another chart');
      });
    });
  },

  /** What a channel has now. */
  state: (channel: Channel): Promise<ChannelState> => store.state(channel),

  /** Charts of a channel by their names. */
  charts: (channel: Channel): AsyncIterable<readonly IndexedChart[]> => store.charts(channel),

  /** The newest file with a name; undefined when there is none. */
  find: (channel: Channel, fileName: string): Promise<ChartFile | undefined> => store.find(channel, fileName),

  recordDownload: packages.recordDownload,
});

/** What `manageCharts` gives. */
export type Charts = ReturnType<typeof manageCharts>;
