import { createRequire } from 'node:module';
import pg from 'pg';
import { compareSizes } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedPeople } from './seed.mjs';

const sizes = [1_000, 10_000];
const depth = 20;
const sharesOfTarget = 20;
const rounds = 7;
const lookupsOfRound = 2_000;

const require = createRequire(import.meta.url);
const int8 = { getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) };

/** Groups below one by SQL, each second one shared with a group of its neighbourhood, in which the developer is now and then. */
async function seedTree(db, top, { count, developer }) {
  await db.query('begin');
  const { rows } = await db.query(
    `with drawn as (select i, nextval(pg_get_serial_sequence('namespaces', 'id')) as id from generate_series(1, $2::int) as i)
    insert into namespaces (id, kind, name, path, parent_id, ancestry, full_path, full_name)
    select drawn.id, 'group', 'Team ' || i, 'team-' || i, top.id, top.ancestry || drawn.id, top.full_path || '/team-' || i,
      top.full_name || ' / Team ' || i
    from drawn, namespaces top where top.id = $1 returning id::int`,
    [top.id, count],
  );
  const ids = rows.map(({ id }) => id);
  await db.query(
    `insert into group_shares (namespace_id, group_id, access_level)
      select ($1::bigint[])[i], ($1::bigint[])[1 + i * 7 % cardinality($1::bigint[])], 20 from generate_series(1, cardinality($1::bigint[]), 2) as i
      where i <> 1 + i * 7 % cardinality($1::bigint[])`,
    [ids],
  );
  await db.query(
    `insert into memberships (user_id, namespace_id, access_level)
      select $2::bigint, ($1::bigint[])[i], 30 from generate_series(1, cardinality($1::bigint[]), cardinality($1::bigint[]) / 40) as i`,
    [ids, developer],
  );
  await db.query('commit');
  return ids;
}

/** A project in a chain of groups, with shares of the groups above it or without. */
async function seedDeepProject({ api }, { name, developer, invited }) {
  let parent;
  for (let at = 1; at <= depth; at += 1) {
    const { body } = await api('POST', '/groups', { name: `${name} ${at}`, path: `${name}-${at}`, parent_id: parent });
    parent = body.id;
  }
  const { body: project } = await api('POST', '/projects', { name, path: name, namespace_id: parent });
  await api('POST', `/groups/${parent}/members`, { user_id: developer, access_level: 30 });
  for (const group of invited) await api('POST', `/groups/${parent}/share`, { group_id: group, group_access: 30 });
  return project.id;
}

/** Microseconds of a look-up of access as groups-admin makes it, for each project in turns. */
async function compareLookups(db, report, { developer, without, withShares }) {
  const { accessStore } = require('../services/groups-admin/dist/directory/storage/access.store.js');
  let names = 0;
  const prepared = new Map();
  const one = async ({ text, values }) => {
    if (!prepared.has(text)) prepared.set(text, `bench_${names++}`);
    return (await db.query({ name: prepared.get(text), text, values, types: int8 })).rows[0];
  };
  const store = accessStore({ one });
  const spent = { without: [], withShares: [] };
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, id] of Object.entries({ without, withShares })) {
      const since = performance.now();
      for (let at = 0; at < lookupsOfRound; at += 1) await store.findProject({ id }, developer);
      if (round >= 0) spent[name].push(((performance.now() - since) * 1_000) / lookupsOfRound);
    }
  }
  const unit = { unit: 'µs', digits: 0 };
  report.figure('access, no shares', spent.without, unit);
  report.figure(`access, ${sharesOfTarget} shares`, spent.withShares, unit);
  const ratios = spent.withShares.map((one_, round) => one_ / spent.without[round]);
  report.figure('access, ratio round by round', ratios, { target: 1.25 });
}

/** The group list with shares against a bare process and by size; access in a group 20 levels deep with 20 shares and without. */
export async function shares(installation, report) {
  const { api, url } = installation;
  const { developer, token } = await seedPeople(installation, 'shares');
  const db = await installation.connect('switchyard_groups_admin');
  // A database with a copy of the directory, whose statistics both comparisons refresh.
  const replica = await installation.connect('switchyard_merge_requests');
  try {
    const trees = [];
    for (const count of sizes) {
      const path = `shared-${count}`;
      const { body } = await api('POST', '/groups', { name: path, path });
      await api('POST', `/groups/${body.id}/members`, { user_id: developer, access_level: 10 });
      trees.push({ count, id: body.id, ids: await seedTree(db, body, { count, developer }) });
    }
    await db.query('vacuum (analyze) namespaces, memberships, group_shares');

    const viewer = viewerOf({ developer });
    const page = { kind: 'groups', path: 'groups', owner: 'groups-admin', perPage: 20, given: { viewer } };
    await compareWithBare(
      installation,
      report,
      { db: replica, project: { id: 0 }, token },
      {
        ...page,
        name: 'group list, first page',
        paging: 'offset',
        query: 'per_page=20',
        target: 3,
      },
    );
    await compareSizes(installation, report, replica, {
      name: 'groups below a group, first page',
      subjects: trees.map(({ count, id }) => ({
        size: count,
        url: `${url}/api/v4/groups/${id}/descendant_groups?per_page=20&pagination=keyset`,
      })),
      headers: { 'PRIVATE-TOKEN': token },
      services: ['gateway', 'groups-admin'],
    });

    const invited = trees[1].ids.slice(100, 100 + sharesOfTarget);
    const without = await seedDeepProject(installation, { name: 'deep-alone', developer, invited: [] });
    const withShares = await seedDeepProject(installation, { name: 'deep-shared', developer, invited });
    await db.query('vacuum (analyze) namespaces, memberships, group_shares');
    await compareLookups(db, report, { developer, without, withShares });
  } finally {
    await Promise.all([db.end(), replica.end()]);
  }
}
