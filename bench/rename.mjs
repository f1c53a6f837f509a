import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { seedPeople } from './seed.mjs';

const projects = 10_000;
const subgroups = 10;
const rounds = 7;
const targetMs = 200;
const pauseMs = 300;
const timeoutMs = 60_000;

const require = createRequire(import.meta.url);

/** Ten thousand projects by SQL, recorded in the directory as groups-admin records its own changes. */
async function seedProjects(db, groupIds) {
  const groupsAdmin = '../services/groups-admin/dist';
  const { appendDirectoryChanges } = require(`${groupsAdmin}/directory/storage/directory-change.js`);
  const { projectChanges } = require(`${groupsAdmin}/directory/storage/directory-rows.js`);
  const int8 = { getTypeParser: (oid, format) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format)) };
  const tx = { query: async ({ text, values }) => (await db.query({ text, values, types: int8 })).rows };
  await db.query('begin');
  const { rows } = await db.query(
    `insert into projects (namespace_id, name, path)
      select ($1::bigint[])[1 + i % cardinality($1)], 'Project ' || i, 'project-' || i from generate_series(1, $2::int) as i
      returning id::int`,
    [groupIds, projects],
  );
  await appendDirectoryChanges(
    tx,
    await projectChanges(
      tx,
      rows.map(({ id }) => id),
    ),
  );
  await db.query('commit');
  await db.query('vacuum (analyze) projects');
}

/** Renaming a group with subgroups over 10,000 projects; what lies below is found by its new path at once. */
export async function rename(installation, report) {
  const { api } = installation;
  const people = await seedPeople(installation, 'rename');
  const { body: group } = await api('POST', '/groups', { name: 'Renamed', path: 'renamed-0' });
  const groupIds = [];
  for (let at = 0; at < subgroups; at += 1) {
    const { body } = await api('POST', '/groups', { name: `Team ${at}`, path: `team-${at}`, parent_id: group.id });
    groupIds.push(body.id);
  }
  await api('POST', `/groups/${group.id}/members`, { user_id: people.developer, access_level: 30 });
  const db = await installation.connect('switchyard_groups_admin');
  await seedProjects(db, groupIds);
  await db.end();

  const asDeveloper = { token: people.token, expected: [200, 301] };
  const below = (path) => `/projects/${encodeURIComponent(`${path}/team-1/project-1`)}`;
  const { body: first } = await api('GET', below('renamed-0'), undefined, asDeveloper);
  // Until merge-requests' copy of the directory has all 10,000.
  const list = () =>
    api('GET', `/projects/${first.id}/merge_requests`, undefined, { ...asDeveloper, expected: [200, 503] });
  for (const since = performance.now(); (await list()).status !== 200; await sleep(100)) {
    if (performance.now() - since > timeoutMs) throw new Error('merge-requests does not catch up with the directory');
  }

  const renaming = [];
  const finding = [];
  for (let round = 1; round <= rounds; round += 1) {
    const [was, is] = [`renamed-${round - 1}`, `renamed-${round}`];
    await sleep(pauseMs);
    const startedAt = performance.now();
    const { body } = await api('PUT', `/groups/${group.id}`, { path: is });
    const renamedAt = performance.now();
    const found = await api('GET', below(is), undefined, asDeveloper);
    const list = await api('GET', `${below(is)}/merge_requests`, undefined, asDeveloper);
    const foundAt = performance.now();
    const old = await api('GET', below(was), undefined, asDeveloper);
    const location = old.headers.get('location') ?? '';
    if (body.full_path !== is || found.body.path_with_namespace !== `${is}/team-1/project-1` || list.status !== 200) {
      throw new Error(`renamed to ${is}, and found as ${found.body.path_with_namespace}`);
    }
    if (old.status !== 301 || !location.includes(String(first.id)))
      throw new Error(`the old path gave ${old.status} ${location}`);
    renaming.push(renamedAt - startedAt);
    finding.push(foundAt - renamedAt);
  }
  report.figure(`rename: PUT of a group over ${projects} projects`, renaming, {
    unit: 'ms',
    digits: 0,
    target: targetMs,
  });
  report.figure('rename: a project and its merge requests by the new path, right after', finding, {
    unit: 'ms',
    digits: 0,
  });
}
