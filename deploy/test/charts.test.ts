import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { callsOf, deploy, names } from './support/processes';

describe('the charts', () => {
  it('are one for each service and one over all, and know whom each service calls', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
    expect(spawnSync(process.execPath, [join(deploy, 'helm/charts.mjs'), folder]).status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([...names, 'library', 'switchyard'].sort());
    const umbrella = parse(readFileSync(join(folder, 'switchyard/Chart.yaml'), 'utf8')) as {
      dependencies: { name: string }[];
    };
    expect(umbrella.dependencies.map(({ name }) => name)).toEqual(names);
    const template = readFileSync(join(folder, 'library/templates/_catalogue.tpl'), 'utf8');
    const rows = parse(template.replaceAll(/^{{.*$/gm, '')) as Record<string, { calls: Record<string, string[]> }>;
    expect(
      Object.entries(rows).map(([name, { calls }]) => [name, calls.grpc?.toSorted(), calls.http?.toSorted()]),
    ).toEqual(names.map((name) => [name, callsOf(name, 'ADDRESS'), callsOf(name, 'HTTP_URL')]));
    rmSync(folder, { recursive: true });
  });

  describe('and their values', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
    const read = (chart: string, file: string) => readFileSync(join(folder, chart, file), 'utf8');
    const accepts = (chart: string, values: object): boolean =>
      new Ajv({ strict: false }).compile(JSON.parse(read(chart, 'values.schema.json')))(values);
    beforeAll(() => {
      expect(spawnSync(process.execPath, [join(deploy, 'helm/charts.mjs'), folder]).status).toBe(0);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each([...names, 'switchyard'])('%s: the defaults fit the schema, and stand in the README', (chart) => {
      const values = parse(read(chart, 'values.yaml')) as Record<string, unknown>;
      expect(accepts(chart, values)).toBe(true);
      const readme = read(chart, 'README.md');
      expect(Object.keys(values).filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
    });

    it.each<[string, object]>([
      ['gateway', { replica: 5 }],
      ['gateway', { replicas: '5' }],
      ['gateway', { persistence: { enabled: true } }],
      ['gateway', { global: { replicas: 5 } }],
      ['alerts', { image: { pullPolicy: 'Sometimes' } }],
      ['alerts', { config: { tier: 'gold' } }],
      ['alerts', { ingress: { enabled: true } }],
      ['alerts', { storages: [{ name: 'fast' }] }],
      ['merge-requests', { storages: [{ name: 'fast', weight: 101 }] }],
      ['alerts', { autoscaling: { minReplicas: 0 } }],
      ['switchyard', { gatway: {} }],
      ['switchyard', { global: { images: {} } }],
    ])('%s refuses %j', (chart, values) => {
      expect(accepts(chart, values)).toBe(false);
    });

    it('a tag may be a number', () => {
      expect(accepts('alerts', { image: { tag: 9 }, global: { image: { tag: 'v9' } } })).toBe(true);
    });
  });
});
