import type { PackageFile } from '../../packages';
import type { ChartMetadata } from '../domain/chart';

/** A channel of a project. */
export interface Channel {
  readonly projectId: number;
  readonly channel: string;
}

/** A chart as an index lists it: the newest file of a version in a channel. */
export interface IndexedChart {
  readonly chart: ChartMetadata;
  readonly fileName: string;
  /** Hexadecimal digits. */
  readonly sha256: string;
  readonly createdAt: Date;
}

/** The file of a chart, as it is sent. */
export type ChartFile = Pick<PackageFile, 'packageId' | 'fileName' | 'size' | 'sha256' | 'blob'>;

/** What a channel has at one moment. */
export interface ChannelState {
  /** Another one whenever a chart comes or goes. */
  readonly revision: string;
  /** When its newest chart came; undefined without any. */
  readonly changedAt: Date | undefined;
}

/** Charts as rows. */
export interface HelmStore {
  state(channel: Channel): Promise<ChannelState>;
  /** Charts of a channel by their names, up to 10,000, read as they are taken: each statement reads up to 500. */
  charts(channel: Channel): AsyncIterable<readonly IndexedChart[]>;
  /** The newest file with a name in a channel; undefined when there is none. */
  find(channel: Channel, fileName: string): Promise<ChartFile | undefined>;
}
