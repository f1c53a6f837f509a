import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Settings to paste, as docs/alerting.md shows them. */
const page = readFileSync(resolve(__dirname, '../../../../../docs/alerting.md'), 'utf8');

/** The first block of a language below a heading. */
function block(heading: string, language: string): string {
  const below = page.slice(page.indexOf(`\n## ${heading}\n`));
  const found = new RegExp(`\n\`\`\`${language}\n(.*?)\n\`\`\`\n`, 's').exec(below)?.[1];
  if (found === undefined) throw new Error(`docs/alerting.md has no ${language} below "${heading}"`);
  return found;
}

/**
 * `alertmanager.yml` as documented, for an integration and in a hurry: it tells of a group almost at once, of changes twice a second, and repeats
 * what still fires every second.
 */
export function documentedAlertmanager({ url, key }: { url: string; key: string }): string {
  const filled: [RegExp, string][] = [
    [/(?<=url: )https:\S+/, url],
    [/(?<=credentials: )\S+/, key],
    [/(?<=group_wait: )\S+/, '100ms'],
    [/(?<=group_interval: )\S+/, '500ms'],
    [/(?<=repeat_interval: )\S+/, '1s'],
  ];
  return filled.reduce(
    (text, [what, value]) => {
      if (!what.test(text)) throw new Error(`the documented alertmanager.yml has no ${what}`);
      return text.replace(what, value);
    },
    block('Prometheus Alertmanager', 'yaml'),
  );
}

/** What the documented integration for Grafana is made of: its sample payload is what Grafana sends. */
export const documentedGrafana = (): {
  payload_example: Record<string, unknown>;
  payload_attribute_mappings: unknown[];
} => JSON.parse(block('Grafana', 'json'));
