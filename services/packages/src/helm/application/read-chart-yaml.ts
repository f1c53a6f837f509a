import { parse } from 'yaml';

/** Aliases that one value may be repeated by: more is an attack. */
const maxAliasCount = 100;

/**
 * What a Chart.yaml says, its scalars as they are written, so that a version such as `1.10` stays what it is; undefined
 * for what is no YAML.
 */
export function readChartYaml(content: Buffer): unknown {
  try {
    return parse(content.toString().replace(/^\ufeff/, ''), { schema: 'failsafe', maxAliasCount, logLevel: 'error' });
  } catch {
    return undefined;
  }
}
