import { because, field, on, orders, type Proofs, type Row, reading, refused } from './parameter-cases';
import type { ParameterFixture } from './parameter-fixture';

/** Rows of repositories, pipelines, alerts, notes, to-dos and activity. */
export const workRows = (fixture: ParameterFixture): Row[] => [
  ...repositoryRows(fixture),
  ...runRows(fixture),
  ...talkRows(fixture),
];

const lengthOfDiff = (body: { diff: string }[] | { diffs: { diff: string }[] } | { changes: { diff: string }[] }) => {
  const diffs = Array.isArray(body) ? body : 'diffs' in body ? body.diffs : body.changes;
  return diffs[0]?.diff.startsWith('---');
};

const unidiff = reading(lengthOfDiff as never, 'true => true', 'false => false');

const withHtml = reading(
  (body: object | object[]) => 'description_html' in (Array.isArray(body) ? body[0] : body),
  'true => true',
  'false => false',
);

function repositoryRows({ ids, shas }: ParameterFixture): Row[] {
  const at = `/projects/${ids.main}`;
  const repository = `${at}/repository`;
  const name = (item: { name: string }) => item.name;
  const path = (item: { path: string }) => item.path;
  const subject = (commit: { title: string }) => commit.title.split(' ').at(-1);
  return [
    {
      operation: 'GET /projects/:id/repository/branches',
      path: `${repository}/branches`,
      name,
      proofs: {
        search: on('lu => blue', '^re => red'),
        regex: on('^b => blue', '^(red|main)$ => main red'),
        page_token: because('the position in this list; lists.e2e shows it by the links of keyset paging'),
        sort: reading(
          (body) => body.map(name),
          'name_asc => blue main red',
          'updated_asc => blue red main',
          'updated_desc => main red blue',
        ),
      },
    },
    {
      operation: 'GET /projects/:id/repository/tags',
      path: `${repository}/tags`,
      name,
      proofs: {
        search: on('blue => v-blue', '^v-r => v-red'),
        page_token: because('the position in this list; lists.e2e shows it by the links of keyset paging'),
        ...orders({
          name: 'v-blue v-green v-red',
          version: 'v-blue v-green v-red',
          updated: 'v-blue v-red v-green',
        }),
      },
    },
    {
      operation: 'GET /projects/:id/releases',
      path: `${at}/releases`,
      name: ({ tag_name }: { tag_name: string }) => tag_name,
      proofs: {
        updated_after: on('2021-06-01 => v-blue', '2020-06-01 => v-green v-blue'),
        updated_before: on('2020-06-01 => v-red', '2021-06-01 => v-red v-green'),
        include_html_description: withHtml,
        ...orders({ released_at: 'v-blue v-green v-red', created_at: 'v-red v-green v-blue' }),
      },
    },
    ...['GET /projects/:id/releases/permalink/latest', 'GET /projects/:id/releases/:tag_name'].map((operation) => ({
      operation,
      path: `${at}/releases/${operation.endsWith('latest') ? 'permalink/latest' : 'v-red'}`,
      proofs: { include_html_description: withHtml },
    })),
    {
      operation: 'GET /projects/:id/protected_branches',
      path: `${at}/protected_branches`,
      name,
      proofs: { search: on('blue => keep/blue', 'keep/r => keep/red') },
    },
    {
      operation: 'GET /projects/:id/repository/commits',
      path: `${repository}/commits`,
      name: subject as never,
      proofs: {
        ref_name: on('blue => blue commit', 'red => commit red'),
        since: { ...on('2020-01-01 => blue commit', '2090-01-01 =>'), beside: 'ref_name=blue' },
        until: { ...on('2090-01-01 => blue commit', '2020-01-01 =>'), beside: 'ref_name=blue' },
        path: { ...on('blue.txt => blue', 'README.md => commit'), beside: 'ref_name=blue' },
        author: { ...on('Bob => red', 'bob@example.com => red', 'Ada =>'), beside: 'ref_name=red' },
        all: { ...on("true => 'main' blue commit green red", 'false => blue commit'), beside: 'ref_name=blue' },
        with_stats: { ...reading(field('stats.total'), 'true => 2', 'false => undefined'), beside: 'ref_name=blue' },
        first_parent: { ...on("true => 'main' commit", "false => 'main' commit green") },
        order: because('the orders differ only where branches overlap in time, and the API dates no commit'),
        trailers: {
          ...reading((body) => Object.keys(body[0].trailers).length, 'true => 1', 'false => 0'),
          beside: 'ref_name=blue',
        },
      },
    },
    {
      operation: 'GET /projects/:id/repository/commits/:sha',
      path: `${repository}/commits/${shas.blue}`,
      proofs: { stats: reading(field('stats.total'), 'true => 2', 'false => undefined') },
    },
    {
      operation: 'GET /projects/:id/repository/commits/:sha/diff',
      path: `${repository}/commits/${shas.blue}/diff`,
      proofs: { unidiff },
    },
    {
      operation: 'GET /projects/:id/repository/commits/:sha/refs',
      path: `${repository}/commits/${shas.blue}/refs`,
      name,
      proofs: { type: on('branch => blue', 'tag => v-blue', 'all => blue v-blue') },
    },
    {
      operation: 'GET /projects/:id/repository/commits/:sha/merge_requests',
      path: `${repository}/commits/${shas.blue}/merge_requests`,
      proofs: { state: reading((body) => body.length, 'opened => 1', 'merged => 0') },
    },
    {
      operation: 'GET /projects/:id/repository/tree',
      path: `${repository}/tree`,
      name: path,
      proofs: {
        ref: on('blue => README.md blue.txt dir', 'red => README.md dir red.txt'),
        path: { ...on('dir => dir/blue.txt', ' => README.md blue.txt dir'), beside: 'ref=blue' },
        recursive: {
          ...on('true => README.md blue.txt dir dir/blue.txt', 'false => README.md blue.txt dir'),
          beside: 'ref=blue',
        },
        page_token: because('the position in this list; lists.e2e shows it by the links of keyset paging'),
      },
    },
    {
      operation: 'GET /projects/:id/repository/contributors',
      path: `${repository}/contributors`,
      name,
      proofs: {
        ref: on('blue => Ada Administrator', 'red => Administrator Bob'),
        ...orders({ name: 'Administrator Zoe', email: 'Zoe Administrator', commits: 'Zoe Administrator' }),
      },
    },
    {
      operation: 'GET /projects/:id/repository/files/:file_path',
      path: `${repository}/files/blue.txt`,
      proofs: { ref: reading((_body, { status }) => status, 'blue => 200', 'red => 404') },
    },
    {
      operation: 'GET /projects/:id/repository/files/:file_path/blame',
      path: `${repository}/files/blue.txt/blame`,
      proofs: {
        ref: reading((_body, { status }) => status, 'blue => 200', 'red => 404'),
        'range[start]': {
          ...reading((body) => body.length, '1 => 1', '2 => 0'),
          beside: 'ref=blue&range[end]=2',
        },
        'range[end]': because('a file of one line has no other end; repository-reads.comp.test shows it'),
      },
    },
    ...['', '.tar.gz', '.tar.bz2', '.zip'].map((ending) => ({
      operation: `GET /projects/:id/repository/archive${ending}`,
      path: `${repository}/archive${ending}`,
      proofs: {
        sha: reading((_body, { status }) => status, 'blue => 200', 'nowhere => 404'),
        path: { ...reading((_body, { status }) => status, 'dir => 200', 'nowhere => 404'), beside: 'sha=blue' },
      },
    })),
    {
      operation: 'GET /projects/:id/repository/files/:file_path/raw',
      path: `${repository}/files/blue.txt/raw`,
      proofs: { ref: reading((_body, { status }) => status, 'blue => 200', 'red => 404'), lfs: refused('true') },
    },
    {
      operation: 'GET /projects/:id/repository/compare',
      path: `${repository}/compare`,
      proofs: {
        from: { ...reading((body) => body.commits.length, 'main => 1', 'blue => 0'), beside: 'to=blue' },
        to: { ...reading((body) => body.commits.length, 'blue => 1', 'main => 0'), beside: 'from=main' },
        straight: { ...reading((body) => body.diffs.length, 'true => 4', 'false => 2'), beside: 'from=red&to=blue' },
        unidiff: { ...unidiff, beside: 'from=main&to=blue' },
      },
    },
    {
      operation: 'GET /projects/:id/repository/merge_base',
      path: `${repository}/merge_base`,
      proofs: { refs: reading((body) => body.title.split(' ').at(-1), 'blue,red => commit', 'blue,blue => blue') },
    },
    {
      operation: 'GET /projects/:id/merge_requests/:merge_request_iid/diffs',
      path: `${at}/merge_requests/1/diffs`,
      proofs: { unidiff },
    },
    {
      operation: 'GET /projects/:id/merge_requests/:merge_request_iid/changes',
      path: `${at}/merge_requests/1/changes`,
      proofs: { unidiff, access_raw_diffs: because('every diff is read from the repository as it is') },
    },
    {
      operation: 'GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id',
      path: `${at}/merge_requests/1/versions/${ids.version}`,
      proofs: { unidiff },
    },
  ];
}

function runRows({ ids, shas }: ParameterFixture): Row[] {
  const at = `/projects/${ids.main}`;
  const name = (run: { name: string }) => run.name;
  const all = 'blueRun redRun tagRun';
  const car = (entry: { merge_request: { title: string }; target_branch: string }) =>
    `${entry.merge_request.title}@${entry.target_branch}`;
  const scope = on('active => one@main', 'complete => three@main');
  return [
    {
      operation: 'GET /projects/:id/pipelines',
      path: `${at}/pipelines`,
      name,
      proofs: {
        scope: on(
          'running => redRun tagRun',
          'finished => blueRun',
          'tags => tagRun',
          'branches => blueRun redRun',
          'pending =>',
        ),
        status: on('failed => blueRun', 'running => redRun tagRun'),
        ref: on('blue => blueRun', 'v-red => tagRun'),
        sha: on(`${shas.blue} => blueRun`, `${shas.red} => redRun tagRun`),
        username: on('ada => tagRun', 'root => blueRun redRun'),
        source: on('api => blueRun tagRun', 'external => redRun'),
        name: on('blueRun => blueRun', 'tagRun => tagRun'),
        yaml_errors: on('true => blueRun', 'false => redRun tagRun'),
        updated_after: on(`2028-06-01 => blueRun`, `2020-01-01 => ${all}`),
        updated_before: on('2028-06-01 => redRun tagRun', '2020-01-01 =>'),
        created_after: on('2020-06-01 => redRun tagRun', '2021-06-01 => redRun'),
        created_before: on('2020-06-01 => blueRun', '2021-06-01 => blueRun tagRun'),
        ...orders({
          id: 'blueRun tagRun redRun',
          status: 'blueRun tagRun redRun',
          ref: 'blueRun redRun tagRun',
          updated_at: 'redRun tagRun blueRun',
          user_id: 'blueRun redRun tagRun',
        }),
      },
    },
    {
      operation: 'GET /projects/:id/pipelines/latest',
      path: `${at}/pipelines/latest`,
      proofs: { ref: reading(field('name'), 'blue => blueRun', 'red => redRun') },
    },
    {
      operation: 'GET /projects/:id/repository/commits/:sha/statuses',
      path: `${at}/repository/commits/${shas.red}/statuses`,
      name,
      proofs: {
        ref: on('v-red => unit', 'red => lint'),
        stage: on('external => lint unit', 'x =>'),
        name: on('unit => unit', 'lint => lint'),
        all: on('true => lint lint unit', 'false => lint unit'),
        pipeline_id: on(`${ids.tagRun} => unit`, `${ids.redRun} => lint`),
        ...orders({ id: 'lint unit', pipeline_id: 'unit lint' }),
      },
    },
    {
      operation: 'GET /projects/:id/jobs',
      path: `${at}/jobs`,
      name,
      proofs: { scope: on('failed => lint unit', 'running => lint unit', 'failed,running => lint lint unit unit') },
    },
    {
      operation: 'GET /projects/:id/pipelines/:pipeline_id/jobs',
      path: `${at}/pipelines/${ids.redRun}/jobs`,
      name,
      proofs: {
        scope: on('running => lint', 'failed =>'),
        include_retried: on('true => lint lint', 'false => lint'),
      },
    },
    {
      operation: 'GET /projects/:id/environments',
      path: `${at}/environments`,
      name,
      proofs: {
        name: on('staging => staging', 'production => production'),
        search: on('STAG => staging', 'tion => production'),
        states: on('stopped => staging', 'available => production', 'stopping =>'),
      },
    },
    {
      operation: 'GET /projects/:id/deployments',
      path: `${at}/deployments`,
      name: ({ ref }: { ref: string }) => ref.replace('v-', ''),
      proofs: {
        environment: on('staging => red', 'production => green blue'),
        status: on('success => red', 'running => blue', 'blocked =>'),
        updated_after: on('2028-06-01 => red', '2020-01-01 => red green blue'),
        updated_before: on('2028-06-01 => green blue', '2020-01-01 =>'),
        finished_after: on('2020-06-01 => green', '2019-01-01 => red green'),
        finished_before: on('2020-06-01 => red', '2022-01-01 => red green'),
        ...orders({
          id: 'red green blue',
          iid: 'red green blue',
          created_at: 'red green blue',
          updated_at: 'blue green red',
          finished_at: 'red green blue',
          ref: 'blue green red',
        }),
      },
    },
    {
      operation: 'GET /projects/:id/merge_trains',
      path: `${at}/merge_trains`,
      name: car,
      proofs: {
        scope: on('active => one@main', 'complete => three@main three@next'),
        target_branch: on('main => one@main three@main', 'next => three@next'),
        sort: reading(
          (body) => body.map(car),
          'asc => one@main three@main three@next',
          'desc => three@next three@main one@main',
        ),
      },
    },
    {
      operation: 'GET /projects/:id/merge_trains/:target_branch',
      path: `${at}/merge_trains/main`,
      name: car,
      proofs: {
        scope,
        sort: reading((body) => body.map(car), 'asc => one@main three@main', 'desc => three@main one@main'),
      },
    },
    {
      operation: 'GET /projects/:id/merge_trains/:target_branch/statistics',
      path: `${at}/merge_trains/main/statistics`,
      proofs: {
        after: {
          ...reading(field('after'), '2020-01-01 => 2020-01-01', '2020-01-31 => 2020-01-31'),
          beside: 'before=2020-01-31',
        },
        before: {
          ...reading(field('before'), '2020-01-01 => 2020-01-01', '2020-01-31 => 2020-01-31'),
          beside: 'after=2020-01-01',
        },
      },
    },
  ];
}

function talkRows({ ids, tokens }: ParameterFixture): Row[] {
  const at = `/projects/${ids.main}`;
  const body = (note: { body: string }) => note.body;
  const title = (alert: { title: string }) => alert.title.replace(' ', '-');
  const notes: Proofs = {
    activity_filter: on('all_notes => noted said', 'only_comments => said', 'only_activity => noted'),
    ...orders({ created_at: 'said noted', updated_at: 'noted said' }),
  };
  const events = (event: { target_type: string | null; action_name: string }) =>
    event.target_type ?? event.action_name.replaceAll(' ', '-');
  const activity: Proofs = {
    action: on('created => Issue MergeRequest', 'joined => joined joined joined'),
    target_type: on('issue => Issue', 'merge_request => MergeRequest'),
    before: on('2020-12-31 => Issue', '2090-01-01 => Issue MergeRequest joined joined joined'),
    after: on('2020-12-31T00:00:00Z => MergeRequest joined joined joined', '2090-01-01 =>'),
    sort: reading((list) => list.map(events)[0] === 'Issue', 'asc => true', 'desc => false'),
  };
  return [
    ...(
      [
        'issues/:issue_iid 1',
        'merge_requests/:merge_request_iid 1',
        `snippets/:snippet_id ${ids.snippet}`,
        'alert_management_alerts/:alert_iid 1',
      ] as const
    ).map((one): Row => {
      const [pattern = '', id = ''] = one.split(' ');
      return {
        operation: `GET /projects/:id/${pattern}/notes`,
        path: `${at}/${pattern.replace(/:\w+/, id)}/notes`,
        name: body,
        proofs: notes,
      };
    }),
    {
      operation: 'GET /groups/:id/epics/:epic_id/notes',
      path: `/groups/${ids.sub}/epics/${ids.deepEpic}/notes`,
      name: body,
      proofs: notes,
    },
    ...['', '/public', '/all'].map(
      (part): Row => ({
        operation: `GET /snippets${part}`,
        path: `/snippets${part}`,
        name: ({ title: name }: { title: string }) => name,
        proofs: {
          created_after: on('2020-06-01 => middle new', '2021-06-01 => new'),
          created_before: on('2020-06-01 => old', '2021-06-01 => middle old'),
        },
      }),
    ),
    {
      operation: 'GET /events',
      path: '/events',
      token: tokens.ada,
      name: events as never,
      proofs: {
        ...activity,
        scope: reading(
          (list) => list.some(({ author_id }: { author_id: number }) => author_id !== ids.ada),
          'all => true',
          'mine => false',
        ),
      },
    },
    { operation: 'GET /users/:id/events', path: '/users/ada/events', name: events as never, proofs: activity },
    {
      operation: 'GET /projects/:id/events',
      path: `${at}/events`,
      name: events as never,
      proofs: {
        action: reading((list) => [...new Set(list.map(events))].sort(), 'commented => Note', 'joined => joined'),
        target_type: reading(
          (list) => [...new Set(list.map(events))],
          'issue => Issue',
          'merge_request => MergeRequest',
        ),
        before: on('2020-12-31 => Issue', '2020-01-01 =>'),
        after: reading((list) => list.length > 0, '2020-12-31T00:00:00Z => true', '2090-01-01 => false'),
        sort: reading((list) => list[0].created_at.slice(0, 4) === '2020', 'asc => true', 'desc => false'),
      },
    },
    {
      operation: 'GET /todos',
      path: '/todos',
      token: tokens.ada,
      name: (todo: { action_name: string }) => todo.action_name,
      proofs: {
        action: on('assigned => assigned', 'mentioned => mentioned'),
        author_id: on(`${ids.root} => assigned`, `${ids.bob} => mentioned`),
        project_id: on(`${ids.main} => assigned mentioned`, `${ids.aside} =>`),
        group_id: on(`${ids.work} => assigned mentioned`, `${ids.house} =>`),
        state: on('pending => assigned mentioned', 'done => marked'),
        type: on('MergeRequest => assigned', 'Issue => mentioned'),
      },
    },
    {
      operation: 'GET /projects/:id/alert_management_alerts',
      path: `${at}/alert_management_alerts`,
      name: title,
      proofs: {
        status: on('acknowledged => alert-1', 'resolved => alert-2', 'acknowledged,resolved => alert-1 alert-2'),
        severity: on('info => alert-1', 'low => alert-2'),
        search: on('alert 1 => alert-1', 'about => alert-1 alert-2'),
        fingerprint: on(`${'1'.repeat(40)} => alert-1`, `${'2'.repeat(40)} => alert-2`),
        environment: on('staging => alert-1', 'production => alert-2', 'nowhere =>'),
        assignee_id: on(`${ids.ada} => alert-1`, 'None => alert-2'),
        assignee_username: on('ada => alert-1', 'bob =>'),
        ...orders({
          created_at: 'alert-1 alert-2',
          updated_at: 'alert-1 alert-2',
          started_at: 'alert-1 alert-2',
          ended_at: 'alert-1 alert-2',
          severity: 'alert-1 alert-2',
          status: 'alert-1 alert-2',
          events: 'alert-2 alert-1',
        }),
      },
    },
    {
      operation: 'GET /projects/:id/import/placeholders',
      path: `${at}/import/placeholders`,
      name: ({ source_username: name }: { source_username: string }) => name,
      proofs: {
        state: on('pending => login3', 'awaiting_approval => login1', 'reassigned => login2', 'reassigning =>'),
        ...orders({ id: 'login1 login2 login3' }),
        order_by: because('the list has this one order, as cursors need'),
      },
    },
  ];
}
