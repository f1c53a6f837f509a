import { compareSizes } from './growth.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 1_000_000];

/** Decisions about the issues of a project by SQL, half of them for one user and the rest for others; 3 of 10 were sent. */
async function seedLedger(db, { project, reader, people, count }) {
  await db.query(
    `insert into ledger_entries (user_id, project_id, group_id, target_type, target_id, target_iid, event, channel, decision, rule, detail,
      created_at)
    select case when i % 2 = 0 then $2::bigint else ($3::bigint[])[1 + i % cardinality($3)] end, $1, 0, 'Issue', 1 + i % 5000, 1 + i % 5000,
      'new_note', 'mail', case when i % 10 < 3 then 'send' else 'skip' end, case when i % 10 < 3 then 'participation' else 'level' end,
      'participating (default)', now() - interval '29 days' + i * interval '2 seconds'
    from generate_series(1, $4::bigint) as i`,
    [project.id, reader, people.others, count],
  );
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) ledger_entries');
  // A million rows are on their way to the disk: a later write waits for it.
  await db.query('checkpoint');
}

/** Pages of the ledger of a user, and of a project, with 1,000,000 decisions against 1,000 in the same table. */
export async function ledger(installation, report) {
  const db = await installation.connect('switchyard_collaboration');
  try {
    const watched = [];
    for (const size of sizes) {
      const people = await seedPeople(installation, `ledger-${size}`);
      const project = await seedProject(installation, { path: `ledger-${size}`, people });
      const since = performance.now();
      // Half of the decisions are the reader's own.
      await seedLedger(db, { project, reader: people.developer, people, count: 2 * size });
      report.note(`ledger: ${2 * size} entries written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      watched.push({ size, project, people });
    }
    const ownMiddle = async ({ people, size }) => {
      const { rows } = await db.query(
        'select id::text from ledger_entries where user_id = $1 order by id desc offset $2 limit 1',
        [people.developer, size / 2],
      );
      return Buffer.from(JSON.stringify({ ...rows[0], _kd: 'n' })).toString('base64url');
    };
    const projectMiddle = async ({ project, size }) => {
      const { rows } = await db.query(
        'select created_at, id::int from ledger_entries where project_id = $1 order by created_at desc, id desc offset $2 limit 1',
        [project.id, size],
      );
      const place = [rows[0].created_at.getTime(), rows[0].id, Number.MAX_SAFE_INTEGER];
      return Buffer.from(JSON.stringify(place)).toString('base64url');
    };
    const own = () => 'notifications/ledger';
    const deliveries = ({ project }) => `projects/${project.id}/deliveries`;
    const pages = [
      ['own, first page', own, async () => 'per_page=20'],
      ['own, of one target', own, async () => 'per_page=20&target=Issue:17'],
      [
        'own, keyset page in the middle',
        own,
        async (one) => `per_page=20&pagination=keyset&cursor=${await ownMiddle(one)}`,
      ],
      ['of a project, first page', deliveries, async () => 'per_page=20'],
      ['of a project, of one target', deliveries, async () => 'per_page=20&target=Issue:17'],
      [
        'of a project, keyset page in the middle',
        deliveries,
        async (one) => `per_page=20&pagination=keyset&cursor=${await projectMiddle(one)}`,
      ],
    ];
    for (const [name, pathOf, queryOf] of pages) {
      const subjects = [];
      for (const one of watched) {
        const url = `${installation.url}/api/v4/${pathOf(one)}?${await queryOf(one)}`;
        subjects.push({ size: one.size, url, headers: { 'PRIVATE-TOKEN': one.people.token } });
      }
      await compareSizes(installation, report, db, {
        name: `ledger, ${name}`,
        subjects,
        services: ['gateway', 'groups-admin', 'collaboration'],
      });
    }
  } finally {
    await db.end();
  }
}
