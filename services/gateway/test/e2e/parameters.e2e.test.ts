import { routes } from '../../src/routes';
import { inLanes } from './support/in-lanes';
import { failuresOf, field, parametersOf, type Row } from './support/parameter-cases';
import { type ParameterFixture, setParameterFixture } from './support/parameter-fixture';
import { rowsOf } from './support/parameter-rows';
import * as settingsOf from './support/setting-values';
import { type System, startSystem } from './support/system';

jest.setTimeout(600_000);

const operationOf = ({ method, path }: (typeof routes)[number]): string => `${method.toUpperCase()} ${path}`;
const reads = routes.filter((route) => route.method === 'get' && parametersOf(route).length > 0);

/** A parameter that is declared does something, or is refused, or stands here with the reason why it does neither. */
describe('every query parameter', () => {
  let system: System;
  let rows: Row[];
  let fixture: ParameterFixture;

  beforeAll(async () => {
    system = await startSystem();
    fixture = await setParameterFixture(system);
    rows = rowsOf(fixture);
  });
  afterAll(() => system?.close());

  it('has a row', () => {
    const declared = reads.map((route) => [operationOf(route), parametersOf(route).sort()]);
    const shown = rows.map(({ operation, proofs }) => [operation, Object.keys(proofs).sort()]);
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(declared));
  });

  it.each(reads.map(operationOf))('%s', async (operation) => {
    const row = rows.find((one) => one.operation === operation);
    const failures: string[] = [];
    await inLanes(Object.entries(row?.proofs ?? {}), async ([parameter, proof]) => {
      failures.push(...(await failuresOf(system, row as Row, parameter, proof)));
    });
    expect(failures).toEqual([]);
  });

  describe('every setting', () => {
    /** Collections, what makes something in one, and the settings of both. */
    const kinds = {
      'PUT /groups/:id': { make: 'POST /groups', settings: settingsOf.groupSettings },
      'PUT /projects/:id': { make: 'POST /projects', settings: settingsOf.projectSettings },
      'PUT /users/:id': { make: 'POST /users', settings: settingsOf.userSettings },
      'PUT /projects/:id/issues/:issue_iid': {
        make: 'POST /projects/:id/issues',
        settings: settingsOf.issueSettings,
      },
      'PUT /projects/:id/merge_requests/:merge_request_iid': {
        make: 'POST /projects/:id/merge_requests',
        settings: settingsOf.mergeRequestSettings,
      },
    };
    const declaredBy = (operation: string): string[] =>
      parametersOf(routes.find((route) => operationOf(route) === operation) as (typeof routes)[number]);
    let branches = 0;

    /** Makes one with nothing but what it takes, and more; its address. */
    async function make(operation: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
      branches += 1;
      const name = `new${branches}`;
      const path = operation.replace('POST ', '').replace(':id', String(fixture.ids.main));
      const required: Record<string, object> = {
        'POST /groups': { name, path: name },
        'POST /projects': { name, namespace_id: fixture.ids.house },
        'POST /users': { name, username: name, email: `${name}@example.com`, force_random_password: true },
        'POST /projects/:id/issues': { title: name },
        'POST /projects/:id/merge_requests': { title: name, source_branch: name, target_branch: 'main' },
      };
      if (operation.endsWith('merge_requests'))
        await system.api('POST', `/projects/${fixture.ids.main}/repository/branches`, {
          body: { branch: name, ref: 'blue' },
        });
      const { status, body, text } = await system.api('POST', path, { body: { ...required[operation], ...more } });
      if (status !== 201) throw new Error(`${operation} ${status} ${text}`);
      return `${path}/${body.iid ?? body.id}`;
    }

    const bodyOf = (name: string, value: unknown): object => {
      const [outer = '', inner] = name.split(/[[\]]/);
      return inner === undefined ? { [outer]: value } : { [outer]: { [inner]: value } };
    };

    it.each(Object.entries(kinds))('%s has a row', (operation, { make: making, settings }) => {
      const declared = new Set([...declaredBy(operation), ...declaredBy(making)]);
      expect(Object.keys(settings(fixture)).sort()).toEqual([...declared].sort());
    });

    it.each(Object.entries(kinds))('%s keeps it or refuses it', async (operation, { make: making, settings }) => {
      const path = await make(making);
      const found: unknown[] = [];
      const wanted: unknown[] = [];
      for (const [name, setting] of Object.entries(settings(fixture))) {
        if ('reason' in setting || !declaredBy(operation).includes(name)) continue;
        const sent = await system.api('PUT', path, {
          body: bodyOf(name, 'refused' in setting ? setting.refused : setting.value),
        });
        if ('refused' in setting) {
          wanted.push([name, 400, true]);
          found.push([name, sent.status, sent.text.includes(`"${name} is not supported`)]);
        } else {
          wanted.push([name, 200, setting.shown]);
          found.push([name, sent.status, field(setting.field || name)((await system.api('GET', path)).body)]);
        }
      }
      expect(found).toEqual(wanted);
    });

    it.each(Object.values(kinds).map(({ make: making, settings }) => [making, settings] as const))(
      '%s keeps it or refuses it',
      async (making, settings) => {
        const together = Object.entries(settings(fixture)).flatMap(([name, setting]) =>
          'value' in setting && setting.alone !== true && declaredBy(making).includes(name)
            ? [{ name, ...setting }]
            : [],
        );
        // Names that are still free: the other test has taken those of the table.
        const free = (value: unknown): unknown =>
          typeof value === 'string' && /^(named|person)$|site.example$/i.test(value)
            ? value.replace(/named|person|site/i, '$&2')
            : value;
        const path = await make(making, Object.fromEntries(together.map(({ name, value }) => [name, free(value)])));
        const { body } = await system.api('GET', path);
        expect(together.map(({ name, field: at }) => [name, field(at || name)(body)])).toEqual(
          together.map(({ name, shown }) => [name, free(shown)]),
        );
      },
    );
  });
});
