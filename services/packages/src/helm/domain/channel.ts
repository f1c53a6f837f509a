import type { ChartMetadata } from './chart';

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
export interface ChartFile {
  readonly packageId: number;
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Hexadecimal digits. */
  readonly sha256: string;
  /** Key of its content in the blob store. */
  readonly blob: string;
}

/** What a channel has at one moment. */
export interface ChannelState {
  /** Another one whenever a chart comes or goes. */
  readonly revision: string;
  /** When its newest chart came; undefined without any. */
  readonly changedAt: Date | undefined;
}
