import { because, field, on, orders, type Proofs, type Row, reading, refused } from './parameter-cases';
import type { ParameterFixture } from './parameter-fixture';

const title = (item: { title: string }) => item.title;

/** The same effects on the number that statistics give. */
const counted = (proofs: Proofs): Proofs =>
  Object.fromEntries(
    Object.entries(proofs).map(([name, proof]) => [
      name,
      'cases' in proof
        ? {
            ...proof,
            cases: proof.cases.map((one) => {
              const [value, names = ''] = one.split(/ => ?/);
              return `${value} => ${names === '' ? 0 : names.split(' ').length}`;
            }),
            read: (body: { statistics: { counts: { all: number } } }) => body.statistics.counts.all,
          }
        : proof,
    ]),
  );

/** The same among the objects of old: counts hold the archived project too, where something was made just now. */
const atRest = (proofs: Proofs): Proofs => {
  const { created_before, ...others } = proofs;
  return { ...beside(others, 'created_before=2025-01-01'), ...(created_before && { created_before }) };
};

const beside = (proofs: Proofs, query: string): Proofs =>
  Object.fromEntries(
    Object.entries(proofs).map(([name, proof]) => [
      name,
      'cases' in proof && (name !== 'scope' || !query.startsWith('scope'))
        ? { ...proof, beside: proof.beside === undefined ? query : `${proof.beside}&${query}` }
        : proof,
    ]),
  );

/** Rows of issues and merge requests. */
export function issuableRows({ ids }: ParameterFixture): Row[] {
  const { root, ada, bob } = ids;
  const shared = (rest: string, none: string): Proofs => ({
    labels: on('bug => one', 'feature => two', `None => ${none}`, 'Any => one two'),
    milestone: on('v1 => one', `None => ${rest}`),
    author_id: on(`${ada} => two`, `${root} => ${none} one`),
    author_username: on('ada => two', `root => ${none} one`),
    assignee_id: on(`${ada} => one`, `${root} => two`, `None => ${none}`, 'Any => one two'),
    assignee_username: on('ada => one', 'root => two', 'bob =>'),
    search: on('needle => one', 'two => two', 'nothing =>'),
    in: { ...on('title =>', 'description => one'), beside: 'search=needle' },
    created_after: on(`2020-06-01 => ${rest}`, `2021-06-01 => ${none}`),
    created_before: on('2020-06-01 => one', '2021-06-01 => one two'),
    updated_after: on(`2020-06-01 => ${rest}`, `2021-06-01 => ${none}`),
    updated_before: on('2020-06-01 => one', '2021-06-01 => one two'),
  });
  const exclusions = (rest: string, none: string): Proofs => ({
    'not[labels]': on(`nothing => ${rest} one`, `bug => ${rest}`, `feature => ${none} one`),
    'not[milestone]': on(`v1 => ${rest}`, `v2 => ${rest} one`),
    'not[author_id]': on(`${root} => two`, `${ada} => ${none} one`),
    'not[author_username]': on('root => two', `ada => ${none} one`),
    'not[assignee_id]': on(`${bob} => ${rest} one`, `${ada} => ${rest}`, `${root} => ${none} one`),
    'not[assignee_username]': on(`bob => ${rest} one`, `ada => ${rest}`, `root => ${none} one`),
  });
  const inHtml = reading(field('title_html'), 'true => one', 'false => undefined');
  const planning: Proofs = {
    iteration_id: refused('5'),
    iteration_title: refused('x'),
  };
  const issueFilters: Proofs = {
    ...shared('four two', 'four'),
    ...exclusions('four two', 'four'),
    ...planning,
    ...Object.fromEntries(Object.entries(planning).map(([name, proof]) => [`not[${name}]`, proof])),
    epic_id: on(`${ids.epic} => one`, 'None => four two', 'Any => one'),
    'not[epic_id]': on(`${ids.epic} => four two`, 'None => one'),
    health_status: on('on_track => one', 'None => two', 'Any => four one'),
    milestone_id: on('Started => one', 'Any => one', 'None => four two', 'Upcoming => one'),
    my_reaction_emoji: on('thumbsup => one', 'None => four two'),
    iids: on('1 => one', '1,3 => four one'),
    confidential: on('true => one', 'false => four two'),
    'not[milestone_id]': on('Started => four two', 'None => one'),
    'not[iids]': on('1 => four two', '1,3 => two'),
    'not[health_status]': on('on_track => four two', 'at_risk => one two', 'needs_attention => four one two'),
    'not[weight]': on('1 => four two', '5 => one two', '7 => four one two'),
    'not[my_reaction_emoji]': on('thumbsup => four two', 'thumbsdown => four one two'),
    scope: on('created_by_me => four one', 'assigned_to_me => two', 'all => four one two'),
  };
  const issueLists: Proofs = {
    ...issueFilters,
    state: on('opened => four one', 'closed => two', 'all => four one two'),
    issue_type: on('incident => two', 'issue => four one'),
    weight: on('1 => one', 'None => two', 'Any => four one'),
    due_date: on('overdue => one', 'none => two', 'any => four one'),
    render_html: { ...inHtml, beside: 'labels=bug' },
    with_labels_details: {
      ...reading((body) => typeof body[0].labels[0], 'true => object', 'false => string'),
      beside: 'iids=1',
    },
    ...orders({
      created_at: 'one two four',
      updated_at: 'one two four',
      title: 'four one two',
      weight: 'one four two',
      due_date: 'one four two',
      priority: 'one two four',
      label_priority: 'two one four',
      milestone_due: 'one two four',
      popularity: 'two four one',
      relative_position: 'one two four',
    }),
  };
  const mergeRequestLists: Proofs = {
    ...shared('three two', 'three'),
    ...exclusions('three two', 'three'),
    state: on('opened => one two', 'merged => three', 'all => one three two'),
    scope: on('created_by_me => one three', 'assigned_to_me => two', 'all => one three two'),
    source_branch: on('blue => one', 'red => two'),
    target_branch: on('main => one three two', 'blue =>'),
    reviewer_id: on(`${bob} => one`, 'None => three two'),
    reviewer_username: on('bob => one', 'None => three two'),
    merge_user_id: on(`${root} => three`, `${ada} =>`),
    merge_user_username: on('root => three', 'ada =>'),
    wip: on('yes => two', 'no => one three'),
    source_project_id: on(`${ids.main} => one three two`, `${ids.aside} =>`),
    'not[reviewer_id]': on(`${bob} => three two`, `${ada} => one three two`),
    'not[reviewer_username]': on('bob => three two', 'ada => one three two'),
    'not[source_branch]': on('blue => three two', 'red => one three'),
    'not[target_branch]': on('main =>', 'blue => one three two'),
    'not[my_reaction_emoji]': on('thumbsup => three two', 'thumbsdown => one three two'),
    approved: on('yes => one', 'no => three two'),
    approved_by_ids: on(`${ada} => one`, `${ada},${bob} =>`, 'None => three two', 'Any => one'),
    approved_by_usernames: on('ada => one', 'bob =>', 'None => three two', 'any => one'),
    approver_ids: on(`${bob} => one`, `${ada} =>`, 'None => three two', 'Any => one'),
    deployed_after: on('2020-06-01 => three', '2021-06-01 =>'),
    deployed_before: on('2020-06-01 => two', '2021-06-01 => three two'),
    environment: on('staging => two', 'production => three'),
    my_reaction_emoji: on('thumbsup => one', 'None => three two', 'any => one'),
    view: because('it has one value; merge-request-lists.comp.test shows the short form'),
    render_html: { ...inHtml, beside: 'labels=bug' },
    with_labels_details: {
      ...reading((body) => typeof body[0].labels[0], 'true => object', 'false => string'),
      beside: 'labels=bug',
    },
    with_merge_status_recheck: because('it requests work behind the list: its result depends on the time'),
    ...orders({
      created_at: 'one two three',
      updated_at: 'one two three',
      title: 'two one three',
      merged_at: 'three one two',
      popularity: 'two three one',
      priority: 'one two three',
      label_priority: 'two one three',
      milestone_due: 'one two three',
    }),
  };
  const epicLists: Proofs = {
    author_id: on(`${ada} => two`, `${root} => deep one`),
    author_username: on('ada => two', 'root => deep one'),
    labels: on('bug => one', 'feature => two', 'None => deep', 'Any => one two'),
    with_labels_details: {
      ...reading((body) => typeof body[0].labels[0], 'true => object', 'false => string'),
      beside: 'labels=bug',
    },
    search: on('needle => one', 'two => two', 'nothing =>'),
    state: on('opened => deep one', 'closed => two', 'all => deep one two'),
    confidential: on('true => one', 'false => deep two'),
    created_after: on('2020-06-01 => deep two', '2021-06-01 => deep'),
    created_before: on('2020-06-01 => one', '2021-06-01 => one two'),
    updated_after: on('2020-06-01 => deep two', '2021-06-01 => deep'),
    updated_before: on('2020-06-01 => one', '2021-06-01 => one two'),
    include_ancestor_groups: { ...on('true => deep one two', 'false => deep'), at: `/groups/${ids.sub}/epics` },
    include_descendant_groups: on('true => deep one two', 'false => one two'),
    my_reaction_emoji: on('thumbsup => one', 'None => deep two', 'Any => one'),
    'not[author_id]': on(`${root} => two`, `${ada} => deep one`),
    'not[author_username]': on('root => two', 'ada => deep one'),
    'not[labels]': on('nothing => deep one two', 'bug => deep two', 'feature => deep one'),
    ...orders({ created_at: 'one two deep', updated_at: 'one two deep', title: 'deep one two' }),
  };
  const onlyIds = { iids: on('1 => one', '1,3 => one three') };
  const row = (operation: string, path: string, proofs: Proofs, name = title as (item: never) => unknown): Row => ({
    operation,
    path,
    name: name as never,
    proofs,
  });
  const group = `/groups/${ids.work}`;
  const project = `/projects/${ids.main}`;
  const archived = on('true => four one two', 'false => aside four one two');
  const archivedRequests = on('true => one three two', 'false => four one three two');
  return [
    row('GET /issues', '/issues', beside({ ...issueLists, non_archived: archived }, 'scope=all')),
    row('GET /groups/:id/issues', `${group}/issues`, { ...issueLists, non_archived: archived }),
    row('GET /projects/:id/issues', `${project}/issues`, issueLists),
    row('GET /issues_statistics', '/issues_statistics', beside(atRest(counted(issueFilters)), 'scope=all')),
    row('GET /groups/:id/issues_statistics', `${group}/issues_statistics`, atRest(counted(issueFilters))),
    row('GET /projects/:id/issues_statistics', `${project}/issues_statistics`, counted(issueFilters)),
    row('GET /groups/:id/epics', `${group}/epics`, epicLists),
    row('GET /projects/:id/issues/:issue_iid', `${project}/issues/1`, { render_html: inHtml }),
    {
      ...row('GET /merge_requests', '/merge_requests', beside(mergeRequestLists, 'scope=all'), short),
      within: ['one', 'two', 'three'],
    },
    row(
      'GET /groups/:id/merge_requests',
      `${group}/merge_requests`,
      { ...mergeRequestLists, non_archived: archivedRequests },
      short,
    ),
    row('GET /projects/:id/merge_requests', `${project}/merge_requests`, { ...mergeRequestLists, ...onlyIds }, short),
    row(
      'GET /projects/:id/deployments/:deployment_id/merge_requests',
      `${project}/deployments/${ids['deployment of all']}/merge_requests`,
      Object.fromEntries(
        Object.keys({ ...mergeRequestLists, ...onlyIds }).map((name) => [
          name,
          because('one filter table; GET /projects/:id/merge_requests shows it'),
        ]),
      ),
      short,
    ),
    row('GET /projects/:id/merge_requests/:merge_request_iid', `${project}/merge_requests/1`, {
      render_html: inHtml,
      include_diverged_commits_count: reading(field('diverged_commits_count'), 'true => 2', 'false => undefined'),
      include_rebase_in_progress: reading(field('rebase_in_progress'), 'true => false', 'false => undefined'),
    }),
  ];
}

const short = (item: { title: string }) => item.title.replace('Draft: ', '');
