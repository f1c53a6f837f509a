import { on, orders, type Proofs, type Row, reading } from './parameter-cases';
import type { System } from './system';

type Places = Readonly<Record<string, number>>;

/** Makes packages by hand, in a project and in one of a group below, which differ in what their parameters ask for; the id of one with two files. */
export async function setPackages(system: System, ids: Places): Promise<number> {
  const [one, three, ada] = [ids['house/one'], ids['attic/three'], ids['ada/one']];
  await system.query(
    'packages',
    `insert into packages (project_id, format, name, version, status, metadata, created_at) values
      (${one}, 'generic', 'alpha', '2.0', 'default', '{}', '2020-01-01'),
      (${one}, 'npm', 'beta', '1.0', 'deprecated', '{"manifest": {}}', '2021-01-01'),
      (${one}, 'npm', 'betamax', '3.0', 'default', '{"manifest": {}}', '2022-01-01'),
      (${one}, 'maven', 'gamma', null, 'default', '{}', '2023-01-01'),
      (${three}, 'pypi', 'delta', '4.0', 'default', '{}', '2024-01-01'),
      (${ada}, 'npm', '@ada/beta', '1.0', 'default', '{"manifest": {}}', '2021-01-01'),
      (${ada}, 'npm', '@ada/betamax', '3.0', 'default', '{"manifest": {}}', '2022-01-01')`,
  );
  const [made] = await system.query('packages', `select id from packages where name = 'alpha'`);
  await system.query(
    'packages',
    `with content as (insert into contents (sha256, sha1, md5, size, blob)
        values (decode(repeat('ab', 32), 'hex'), decode(repeat('ab', 20), 'hex'), decode(repeat('ab', 16), 'hex'), 1, 'by-hand') returning id)
      insert into package_files (package_id, content_id, file_name, created_at)
      select ${made?.id}, content.id, file.name, file.at::timestamptz
      from content, (values (1, 'c', '2021-01-01'), (2, 'a', '2022-01-01'), (3, 'b', '2020-01-01')) file (n, name, at) order by n`,
  );
  return Number(made?.id);
}

/** Rows of packages. */
export function packageRows({ ids }: { ids: Places }): Row[] {
  const name = (one: { name: string }) => one.name;
  const filters = (every: string): Proofs => ({
    package_type: on('generic => alpha', 'npm => beta betamax'),
    package_name: on('ALP => alpha', 'beta => beta betamax'),
    package_version: on('2.0 => alpha', '1.0 => beta'),
    include_versionless: on(`true => ${every} gamma`, `false => ${every}`),
  });
  const inOne = 'alpha beta betamax';
  const found = ({ objects }: { objects: { package: { name: string } }[] }) => objects.map((one) => one.package.name);
  const search = (operation: string, place: string, scope = ''): Row => ({
    operation: `GET ${operation}/-/v1/search`,
    path: `${place}/-/v1/search`,
    proofs: {
      text: reading(found as never, `BETA => ${scope}beta ${scope}betamax`, `max => ${scope}betamax`),
      size: reading(found as never, `1 => ${scope}beta`, `2 => ${scope}beta ${scope}betamax`),
      from: reading(found as never, `0 => ${scope}beta ${scope}betamax`, `1 => ${scope}betamax`),
    },
  });
  return [
    {
      operation: 'GET /projects/:id/packages',
      path: `/projects/${ids['house/one']}/packages`,
      name,
      proofs: {
        ...filters(inOne),
        status: on('deprecated => beta', 'default => alpha betamax'),
        ...orders({ created_at: inOne, name: inOne, version: 'beta alpha betamax', type: inOne }),
      },
    },
    {
      operation: 'GET /groups/:id/packages',
      path: `/groups/${ids.house}/packages`,
      name,
      proofs: {
        ...filters(`${inOne} delta`),
        status: on('deprecated => beta', 'default => alpha betamax delta'),
        exclude_subgroups: on(`true => ${inOne}`, `false => ${inOne} delta`),
        ...orders({
          created_at: `${inOne} delta`,
          name: `${inOne} delta`,
          version: 'beta alpha betamax delta',
          type: `${inOne} delta`,
          project_path: `delta ${inOne}`,
        }),
      },
    },
    {
      operation: 'GET /projects/:id/packages/:package_id/package_files',
      path: `/projects/${ids['house/one']}/packages/${ids.package}/package_files`,
      name: ({ file_name }) => file_name,
      proofs: orders({ id: 'c a b', created_at: 'b c a', file_name: 'a b c' }),
    },
    search('/projects/:id/packages/npm', `/projects/${ids['house/one']}/packages/npm`),
    search('/groups/:id/-/packages/npm', `/groups/${ids.house}/-/packages/npm`),
    // The instance has what is named after its top-level group or user alone.
    search('/packages/npm', '/packages/npm', '@ada/'),
  ];
}
