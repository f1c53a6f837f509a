import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS } from '../monitoring/dashboards.mjs';
import { ruleGroups } from '../monitoring/rules.mjs';
import { deploy } from './support/processes';

describe('alarms and dashboards', () => {
  const written = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return ['node_modules', 'dist', 'generated', 'test'].includes(entry.name) ? [] : written(path);
      return entry.name.endsWith('.ts') ? [readFileSync(path, 'utf8')] : [];
    });

  it('name metrics that there are, and headings of the operations manual', () => {
    const root = join(deploy, '..');
    const sources = [...written(join(root, 'libs')), ...written(join(root, 'services'))].join('\n');
    const known = new Set([...sources.matchAll(/'(switchyard_[a-z_]+)'/g)].map(([, name]) => name));
    const { rules } = ruleGroups('').groups[0] as ReturnType<typeof ruleGroups>['groups'][number];
    const asked = JSON.stringify([rules, DASHBOARDS]).matchAll(/\bswitchyard_[a-z_]+/g);
    const unknown = [...asked]
      .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
      .filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    const manual = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const headings = [...manual.matchAll(/^#+ (.*)$/gm)].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-')}`,
    );
    expect(rules.map(({ annotations }) => annotations.runbook_url).filter((one) => !headings.includes(one))).toEqual(
      [],
    );
  });
});
