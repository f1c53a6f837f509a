import { compareSizes } from './growth.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 1_000_000];

/** Entries of a project by SQL, half of them mails and to-dos, half deliveries of webhooks, in turns. */
async function seedLedger(collaboration, groupsAdmin, { project, people, count }) {
  const at = `now() - interval '1 day' + i * interval '80 milliseconds'`;
  await collaboration.query(
    `insert into ledger_entries (user_id, project_id, group_id, target_type, target_id, target_iid, event, channel, decision,
        rule, detail, created_at)
      select ($2::bigint[])[1 + i % cardinality($2)], $1, 0, 'Issue', i % 500, i % 500, 'new_note',
        case when i % 2 = 0 then 'mail' else 'todo' end, 'sent', 'participation', '', ${at}
      from generate_series(1, $3::bigint / 2) as i`,
    [project.id, people.others, count],
  );
  await groupsAdmin.query(
    `insert into deliveries (target_kind, target_id, receiver, object_key, content_id, idempotency_key, project_id, group_id, kind,
        action, actor_id, title, decision, rule, fate, attempts, response_status, created_at, finished_at)
      select 'project_hook', 1, 'hook:' || $1::bigint, 'issue:' || i % 500, i, $1::bigint || ' ' || i, $1, 0, 'note', 'create',
        ($2::bigint[])[1 + i % cardinality($2)], 'Issue ' || i % 500, 'queued', 'note_events', 'sent', 1, 200, ${at}, ${at}
      from generate_series(1, $3::bigint / 2) as i`,
    [project.id, people.others, count],
  );
  // What autovacuum would do a minute later.
  await collaboration.query('vacuum (analyze) ledger_entries');
  await groupsAdmin.query('vacuum (analyze) deliveries');
  await groupsAdmin.query('checkpoint');
}

/** Pages of the ledger of a project with 1,000,000 entries against one with 1,000, in the same tables. */
export async function projectLedger(installation, report) {
  const people = await seedPeople(installation, 'project-ledger');
  const db = await installation.connect('switchyard_collaboration');
  const groupsAdmin = await installation.connect('switchyard_groups_admin');
  try {
    const kept = [];
    for (const size of sizes) {
      const project = await seedProject(installation, { path: `project-ledger-${size}`, people });
      const since = performance.now();
      await seedLedger(db, groupsAdmin, { project, people, count: size });
      report.note(`project-ledger: ${size} written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      kept.push({ size, path: `projects/${project.id}/deliveries` });
    }
    const cursorOf = async ({ path, size }) => {
      const { rows } = await db.query(
        `select (extract(epoch from created_at) * 1000)::bigint::text as at from ledger_entries where project_id = $1
          order by created_at desc, id desc offset $2 limit 1`,
        [path.split('/')[1], size / 4],
      );
      return Buffer.from(
        JSON.stringify([Number(rows[0].at), Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]),
      ).toString('base64url');
    };
    const pages = {
      'first page': async () => 'per_page=20',
      'keyset page in the middle': async (one) => `per_page=20&pagination=keyset&cursor=${await cursorOf(one)}`,
      'of one object': async () => 'per_page=20&target=Issue:7',
    };
    for (const [name, queryOf] of Object.entries(pages)) {
      const subjects = [];
      for (const one of kept) {
        subjects.push({ size: one.size, url: `${installation.url}/api/v4/${one.path}?${await queryOf(one)}` });
      }
      await compareSizes(installation, report, db, {
        name: `project-ledger, ${name}`,
        subjects,
        headers: { 'PRIVATE-TOKEN': people.token },
        services: ['gateway', 'groups-admin', 'collaboration'],
      });
    }
  } finally {
    await groupsAdmin.end();
    await db.end();
  }
}
