import { isStorableValue } from '@switchyard/texts';
import { valid } from 'semver';

/**
 * Bounds of a chart: bytes that it unpacks to, and of its Chart.yaml, of which a megabyte takes a second to be read; entries;
 * characters of what an index says of it.
 */
export const chartBounds = { unpacked: 100 << 20, chartYaml: 128 << 10, entries: 10_000, described: 64 << 10 } as const;

type Json = string | boolean | readonly Json[] | { readonly [name: string]: Json };

/** What an index says of a chart: its Chart.yaml. */
export interface ChartMetadata {
  readonly [name: string]: Json;
  readonly apiVersion: string;
  readonly name: string;
  readonly version: string;
}

/** The metadata, or what is wrong with it as `name text`. */
export type ReadChart = { readonly chart: ChartMetadata } | { readonly problems: readonly string[] };

const longest = 255;
const channelPattern = /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;
const namePattern = /^[A-Za-z0-9._-]+$/;
const fileNamePattern = /^[A-Za-z0-9._+-]+\.tgz$/;

/** Whether a text can be the name of a channel, in which a project has an index of its own. */
export const isChannel = (text: string): boolean => text.length <= longest && channelPattern.test(text);

/** Whether a text can be the name of the file of a chart. */
export const isChartFile = (text: string): boolean => text.length <= longest && fileNamePattern.test(text);

/** The name of the file of a chart. */
export const chartFileName = ({ name, version }: ChartMetadata): string => `${name}-${version}.tgz`;

/** A value as the index has it; undefined for what is left out. */
type Reader = (value: unknown) => Json | undefined;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text: Reader = (value) => (typeof value === 'string' && value !== '' ? value : undefined);
// Scalars arrive as they are written.
const flag: Reader = (value) => (value === 'true' ? true : undefined);
const listOf =
  (read: Reader): Reader =>
  (value) =>
    Array.isArray(value) ? value.map(read).filter((one) => one !== undefined) : undefined;
const recordOf =
  (readers: Readonly<Record<string, Reader>>): Reader =>
  (value) => {
    if (!isRecord(value)) return undefined;
    const pairs = Object.entries(readers).map(([name, read]) => [name, read(value[name])] as const);
    return Object.fromEntries(pairs.filter((pair): pair is [string, Json] => pair[1] !== undefined));
  };
const texts: Reader = (value) =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
    : undefined;

const maintainer = recordOf({ name: text, email: text, url: text });
const dependency = recordOf({
  name: text,
  version: text,
  repository: text,
  condition: text,
  alias: text,
  tags: listOf(text),
  enabled: flag,
});
const metadata = recordOf({
  apiVersion: text,
  name: text,
  version: text,
  kubeVersion: text,
  description: text,
  type: text,
  keywords: listOf(text),
  home: text,
  sources: listOf(text),
  dependencies: listOf(dependency),
  maintainers: listOf(maintainer),
  icon: text,
  appVersion: text,
  deprecated: flag,
  annotations: texts,
});

const isVersion = (version: string): boolean => version.length <= 128 && !/\s/.test(version) && valid(version) !== null;
const isName = (name: string): boolean => name.length <= 120 && namePattern.test(name) && !/^\.+$/.test(name);

const needed: readonly [keyof ChartMetadata & string, (value: string) => boolean][] = [
  ['apiVersion', (value) => value === 'v1' || value === 'v2'],
  ['name', isName],
  ['version', isVersion],
];

/**
 * Reads a Chart.yaml: the fields that Helm knows, and nothing else.
 * @param document what it says, its scalars as they are written
 */
export function readChart(document: unknown): ReadChart {
  const found = metadata(document) as Partial<ChartMetadata> | undefined;
  if (found === undefined) return { problems: ['Chart.yaml is no mapping'] };
  const problems = needed.flatMap(([name, isGood]) => {
    const value = found[name] as string | undefined;
    return value === undefined ? [`${name} is missing`] : isGood(value) ? [] : [`${name} is invalid`];
  });
  if (problems.length > 0) return { problems };
  if (!isStorableValue(found)) return { problems: ['Chart.yaml holds characters that cannot be kept'] };
  if (JSON.stringify(found).length > chartBounds.described) return { problems: ['Chart.yaml is too long'] };
  return { chart: found as ChartMetadata };
}
