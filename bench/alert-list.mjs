import { compareSizes, cursorAfter } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 1_000_000];

/** Alerts of a project by SQL, as wide as an Alertmanager reports them: 3 of 10 unresolved, one of 4 with an assignee. */
async function seedAlerts(db, { project, people, integration, count }) {
  await db.query('begin');
  await db.query(
    `with raised as (
      insert into alerts (project_id, iid, title, description, severity, status, monitoring_tool, hosts, fingerprint, events, started_at,
        starts_told, last_started_at, ended_at, environment, runbook, query, format, details, payload, integration_id, created_at, updated_at)
      select $1, i, 'Requests of shop-' || i || ' are slow', 'The 99th percentile of ' || i || ' lies above a second for ten minutes.',
        i % 6, case when i % 10 < 3 then (array[0, 1, 3])[1 + i % 10] else 2 end, 'Prometheus', array['node-' || i % 50], left(encode(sha256(('alert' || i)::bytea), 'hex'), 40),
        1 + i % 9, at, true, at, case when i % 10 < 3 then null else at + interval '1 hour' end, 'production',
        'https://example.com/runbooks/' || i % 100, 'histogram_quantile(0.99, rate(latency_bucket[5m])) > 1', 'metrics',
        json_build_object('labels/alertname', 'Slow', 'labels/instance', 'node-' || i % 50, 'labels/job', 'shop', 'labels/team', 'checkout'),
        json_build_object('status', 'firing'), $2, at, at + interval '2 minutes'
      from (select i, timestamptz '2024-01-01 00:00:00.123Z' + i * interval '37.5 seconds' as at from generate_series(1, $3::bigint) as i) as one
      returning id, iid, title)
    , texts as (insert into alert_texts (alert_id, text) select id, title || E'\\n\\nPrometheus' from raised)
    insert into alert_assignees (alert_id, user_id) select id, ($4::bigint[])[1 + iid % cardinality($4)] from raised where iid % 4 = 0`,
    [project.id, integration, count, people.others],
  );
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) alerts, alert_texts, alert_assignees');
  // A million rows are on their way to the disk: a later write waits for it.
  await db.query('checkpoint');
}

/** CPU per page of a project's alerts against a bare process; the pages of a project with 1,000,000 of them against one with 1,000. */
export async function alertList(installation, report) {
  const people = await seedPeople(installation, 'alert-list');
  const db = await installation.connect('switchyard_alerts');
  try {
    const watched = [];
    for (const size of sizes) {
      const project = await seedProject(installation, { path: `alert-list-${size}`, people });
      const { body } = await installation.api('POST', `/projects/${project.id}/alert_management/http_integrations`, {
        name: 'Alertmanager',
        active: true,
      });
      const since = performance.now();
      await seedAlerts(db, { project, people, integration: body.id, count: size });
      report.note(`alert list: ${size} written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      watched.push({ size, project, path: `projects/${project.id}/alert_management_alerts` });
    }
    const [{ project, path }] = watched;
    const page = { kind: 'alerts', path, owner: 'alerts', perPage: 20, given: { viewer: viewerOf(people) } };
    const shared = { db, project, token: people.token };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'alert list, first page',
      paging: 'offset',
      query: 'per_page=20',
      target: 3,
    });
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'alert list, first page, keyset (no count)',
      paging: 'keyset',
      query: 'per_page=20&pagination=keyset',
    });

    const middleOf = async (one) => {
      const { rows } = await db.query(
        'select created_at::text, id::text from alerts where project_id = $1 order by created_at desc, id desc offset $2 limit 1',
        [one.project.id, one.size / 2],
      );
      return cursorAfter(rows[0]);
    };
    const pages = {
      'first page': async () => 'per_page=20',
      'triggered alone': async () => 'per_page=20&status=triggered',
      'keyset page in the middle': async (one) => `per_page=20&pagination=keyset&cursor=${await middleOf(one)}`,
    };
    for (const [name, queryOf] of Object.entries(pages)) {
      const subjects = [];
      for (const one of watched) {
        subjects.push({ size: one.size, url: `${installation.url}/api/v4/${one.path}?${await queryOf(one)}` });
      }
      await compareSizes(installation, report, db, {
        name: `alert list, ${name}`,
        subjects,
        headers: { 'PRIVATE-TOKEN': people.token },
        services: ['gateway', 'groups-admin', 'alerts'],
      });
    }
  } finally {
    await db.end();
  }
}
