import type { ChannelState, IndexedChart } from '../domain/channel';

/** Where charts are, for tools that publish them. */
export interface IndexPlace {
  /** Path of the charts of the project, without a channel. */
  readonly contextPath: string;
}

// JSON is YAML: each chart is one line of it, so what a publisher wrote cannot be anything but a value.
const value = JSON.stringify;

const entry = ({ chart, fileName, sha256, createdAt }: IndexedChart): string =>
  `  - ${value({ ...chart, created: createdAt, digest: sha256, urls: [`charts/${encodeURI(fileName)}`] })}\n`;

/**
 * The index of a channel as YAML, chart by chart as they are read.
 * @param charts in the order of their names
 */
export async function* chartIndex(
  charts: AsyncIterable<readonly IndexedChart[]>,
  { changedAt }: ChannelState,
  { contextPath }: IndexPlace,
): AsyncGenerator<string> {
  yield '---\napiVersion: v1\n';
  let name: string | undefined;
  for await (const some of charts) {
    let text = '';
    for (const one of some) {
      if (name === undefined) text += 'entries:\n';
      if (one.chart.name !== name) text += `  ${value(one.chart.name)}:\n`;
      name = one.chart.name;
      text += entry(one);
    }
    yield text;
  }
  if (name === undefined) yield 'entries: {}\n';
  yield `generated: ${value(changedAt ?? new Date(0))}\nserverInfo:\n  contextPath: ${value(contextPath)}\n`;
}
