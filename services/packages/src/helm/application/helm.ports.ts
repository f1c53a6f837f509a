import type { Tx } from '@switchyard/database';
import type { Channel, ChannelState, ChartFile, IndexedChart } from '../domain/channel';

/** Charts as rows. */
export interface HelmStore {
  state(channel: Channel): Promise<ChannelState>;
  /** Charts of a channel by their names, up to 10,000, read as they are taken: each statement reads up to 500. */
  charts(channel: Channel): AsyncIterable<readonly IndexedChart[]>;
  /** Whether another chart of a channel than this package has a file with the name; others ask once `tx` has ended. */
  isTaken(tx: Tx, channel: Channel, fileName: string, packageId: number): Promise<boolean>;
  /** The newest file with a name in a channel; undefined when there is none. */
  find(channel: Channel, fileName: string): Promise<ChartFile | undefined>;
}
