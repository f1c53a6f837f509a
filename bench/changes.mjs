import { compareSizes } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 1_000_000];
const perPage = 100;

/**
 * Changes of projects by SQL, as wide as those of issues, those of the smaller projects evenly between those of the
 * largest. They get their places as changes do: under the lock of the counter.
 */
async function seedChanges(db, { feeds, people }) {
  const total = feeds.reduce((sum, { size }) => sum + size, 0);
  const [few, many] = feeds;
  await db.query('begin');
  const { rows } = await db.query('update change_counter set last = last + $1 returning last::int - $1 as before', [
    total,
  ]);
  await db.query(
    `insert into changes (position, event_id, kind, action, confidential, project_id, group_id, ref, object_key, actor_id,
        author_id, audience_ids, feature, least_level, body, occurred_at)
      select $1::bigint + i, 'issue.updated:' || i, 'issue', 'update', false, project, null, '', 'issue:' || i % 1000, actor,
        0, '{}', 'issues', 0, json_build_object('object_kind', 'issue', 'event_type', 'issue',
          'user', json_build_object('id', actor, 'name', 'Colleague', 'username', 'colleague', 'avatar_url', null, 'email', '[REDACTED]'),
          'object_attributes', json_build_object('id', i % 1000, 'iid', i % 1000, 'title', 'Issue ' || i % 1000, 'description', repeat($2, 2),
            'state', 'opened', 'action', 'update', 'project_id', project, 'created_at', at, 'updated_at', at),
          'labels', '[]'::json, 'assignees', '[]'::json,
          'changes', json_build_object('title', json_build_object('previous', 'Before', 'current', 'Issue ' || i % 1000)),
          'change', json_build_object('position', $1::bigint + i, 'cursor', ($1::bigint + i)::text))::text, at
      from (select i, case when i % ($3::bigint / $4::bigint) = 0 then $5::bigint else $6::bigint end as project,
          ($7::bigint[])[1 + i % cardinality($7)] as actor, now() - interval '1 day' as at
        from generate_series(1, $3::bigint) as i) as one`,
    [
      rows[0].before,
      'What changed and why, in as many words as it takes: ',
      total,
      few.size,
      few.project.id,
      many.project.id,
      people.others,
    ],
  );
  for (const { project } of feeds) {
    await db.query(
      'insert into change_groups (group_id, position) select $1, position from changes where project_id = $2 on conflict do nothing',
      [project.groupId, project.id],
    );
  }
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) changes, change_groups');
  await db.query('checkpoint');
}

/** CPU per page of the change feed against a bare process; the pages of a feed of 1,000,000 changes against one of 1,000. */
export async function changes(installation, report) {
  const people = await seedPeople(installation, 'changes');
  const db = await installation.connect('switchyard_groups_admin');
  try {
    const feeds = [];
    for (const size of sizes) {
      feeds.push({ size, project: await seedProject(installation, { path: `changes-${size}`, people }) });
    }
    const since = performance.now();
    await seedChanges(db, { feeds, people });
    report.note(`changes: written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);

    const positionOf = async ({ project, size }, part) => {
      const { rows } = await db.query(
        'select position::int from changes where project_id = $1 order by position offset $2 limit 1',
        [project.id, Math.floor(size * part)],
      );
      return rows[0].position;
    };
    const [few] = feeds;
    const after = await positionOf(few, 0.5);
    const { rows: shown } = await db.query(
      'select position::int from changes where project_id = $1 and position > $2 order by position limit $3',
      [few.project.id, after, perPage],
    );
    await compareWithBare(
      installation,
      report,
      { db, project: few.project, token: people.token },
      {
        name: 'changes, page of 100',
        kind: 'changes',
        owner: 'groups-admin',
        paging: 'keyset',
        perPage,
        query: `after=${after}`,
        given: { after, positions: shown.map(({ position }) => position), viewer: viewerOf(people) },
        target: 3,
      },
    );

    const places = {
      'first page': () => '',
      'page in the middle': async (feed) => `?after=${await positionOf(feed, 0.5)}`,
    };
    for (const [scope, pathOf] of Object.entries({
      project: ({ project }) => `projects/${project.id}`,
      group: ({ project }) => `groups/${project.groupId}`,
    })) {
      for (const [place, queryOf] of Object.entries(places)) {
        const subjects = [];
        for (const feed of feeds) {
          subjects.push({
            size: feed.size,
            url: `${installation.url}/api/v4/${pathOf(feed)}/changes${await queryOf(feed)}`,
          });
        }
        await compareSizes(installation, report, db, {
          name: `changes of a ${scope}, ${place}`,
          subjects,
          headers: { 'PRIVATE-TOKEN': people.token },
          services: ['gateway', 'groups-admin'],
        });
      }
    }
  } finally {
    await db.end();
  }
}
