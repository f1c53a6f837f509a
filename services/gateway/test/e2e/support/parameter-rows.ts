import { because, on, orders, type Proofs, type Row, reading, refused } from './parameter-cases';
import type { ParameterFixture } from './parameter-fixture';
import { issuableRows } from './parameter-issuables';
import { workRows } from './parameter-work';

/** Rows of every list and of everything else that takes query parameters. */
export const rowsOf = (fixture: ParameterFixture): Row[] => [
  ...peopleRows(fixture),
  ...groupRows(fixture),
  ...projectRows(fixture),
  ...memberRows(fixture),
  ...planRows(fixture),
  ...issuableRows(fixture),
  ...workRows(fixture),
];

const withBeside = (proofs: Proofs, beside: string): Proofs =>
  Object.fromEntries(
    Object.entries(proofs).map(([name, proof]) => [name, 'cases' in proof ? { beside, ...proof } : proof]),
  );

function peopleRows({ ids }: ParameterFixture): Row[] {
  const username = (user: { username: string }) => user.username;
  const tokenName = (token: { name: string }) => token.name;
  const pathOf = ({ full_path }: { full_path: string }) => full_path;
  const byName = 'ada bob cat eve root';
  const byAge = 'root ada bob cat eve';
  return [
    {
      operation: 'GET /users',
      path: '/users',
      name: username,
      proofs: {
        username: on('ADA => ada', 'bob => bob'),
        search: on('EVE@example.com => eve', 'ada => ada'),
        active: on('true => ada alert-bot bob eve ghost rob root', 'false => ada alert-bot bob cat eve ghost rob root'),
        blocked: on('true => cat', 'false => ada alert-bot bob cat eve ghost rob root'),
        external: on('true => bob', 'false => ada alert-bot bob cat eve ghost rob root'),
        exclude_external: on(
          'true => ada alert-bot cat eve ghost rob root',
          'false => ada alert-bot bob cat eve ghost rob root',
        ),
        humans: on('true => ada bob cat eve root', 'false => ada alert-bot bob cat eve ghost rob root'),
        exclude_humans: on('true => alert-bot ghost rob', 'false => ada alert-bot bob cat eve ghost rob root'),
        exclude_active: on('true => cat', 'false => ada alert-bot bob cat eve ghost rob root'),
        exclude_internal: on('true => ada bob cat eve rob root', 'false => ada alert-bot bob cat eve ghost rob root'),
        admins: on('true => root', 'false => ada alert-bot bob cat eve ghost rob root'),
        created_after: on(
          '2020-06-01 => ada alert-bot bob cat eve ghost rob',
          '2021-06-01 => alert-bot bob cat eve ghost rob',
        ),
        created_before: on('2020-06-01 => root', '2021-06-01 => ada root'),
        without_project_bots: on(
          'true => ada alert-bot bob cat eve ghost root',
          'false => ada alert-bot bob cat eve ghost rob root',
        ),
        without_projects: on(
          'true => alert-bot bob cat eve ghost rob root',
          'false => ada alert-bot bob cat eve ghost rob root',
        ),
        ...orders(
          {
            id: byAge,
            name: 'ada root bob cat eve',
            username: byName,
            created_at: byAge,
            updated_at: 'eve cat bob ada root',
          },
          'humans=true',
        ),
      },
    },
    {
      operation: 'GET /personal_access_tokens',
      path: '/personal_access_tokens',
      name: tokenName,
      proofs: {
        user_id: on(`${ids.bob} => alpha beta gamma`, `${ids.ada} => own`),
        ...withBeside(
          {
            revoked: on('true => alpha', 'false => beta gamma'),
            state: on('active => gamma', 'inactive => alpha beta'),
            search: on('amm => gamma', 'a => alpha beta gamma'),
            created_after: on('2020-06-01 => beta gamma', '2021-06-01 => gamma'),
            created_before: on('2020-06-01 => alpha', '2021-06-01 => alpha beta'),
            last_used_after: on('2020-06-01 => alpha beta', '2021-06-01 => alpha'),
            last_used_before: on('2020-06-01 => gamma', '2021-06-01 => beta gamma'),
            expires_after: on('2025-01-01 => alpha gamma', '2091-01-01 => gamma'),
            expires_before: on('2025-01-01 => beta', '2091-01-01 => alpha beta'),
            sort: reading(
              (body) => body.map(tokenName),
              'created_asc => alpha beta gamma',
              'created_desc => gamma beta alpha',
              'expires_asc => beta alpha gamma',
              'expires_desc => gamma alpha beta',
              'last_used_asc => gamma beta alpha',
              'last_used_desc => alpha beta gamma',
              'name_asc => alpha beta gamma',
              'name_desc => gamma beta alpha',
            ),
          },
          `user_id=${ids.bob}`,
        ),
      },
    },
    {
      operation: 'GET /namespaces',
      path: '/namespaces',
      name: pathOf,
      within: ['ada', 'root', 'house', 'house/attic', 'house/cellar'],
      proofs: {
        search: on('att => house/attic', 'cellar => house/cellar'),
        owned_only: on(
          'true => house house/attic house/cellar root',
          'false => ada house house/attic house/cellar root',
        ),
        top_level_only: on('true => ada house root', 'false => ada house house/attic house/cellar root'),
      },
    },
    {
      operation: 'GET /namespaces/:id/exists',
      path: '/namespaces/attic/exists',
      proofs: { parent_id: reading((body) => body.exists, `${ids.house} => true`, `${ids.work} => false`) },
    },
  ];
}

function groupRows({ ids, tokens }: ParameterFixture): Row[] {
  const name = (group: { path: string }) => group.path;
  const proofs: Proofs = {
    skip_groups: on(`${ids.attic} => cellar house`, `${ids.cellar} => attic house`),
    all_available: { ...on('true => attic cellar house', 'false =>'), as: tokens.ada },
    search: on('att => attic', 'cellar => cellar'),
    visibility: on('public => attic house', 'internal => cellar'),
    owned: on('true => cellar', 'false => attic cellar house'),
    min_access_level: on('30 => attic cellar', '50 => cellar'),
    top_level_only: on('true => house', 'false => attic cellar house'),
    repository_storage: { ...refused('default'), as: tokens.root },
    marked_for_deletion_on: refused('2026-01-01'),
    ...orders({ name: 'attic cellar house', path: 'attic cellar house', id: 'house attic cellar' }),
  };
  const row = (operation: string, path: string, within: readonly string[], more: Proofs = {}): Row => ({
    operation,
    path,
    token: tokens.eve,
    name,
    within,
    proofs: { ...proofs, ...more },
  });
  const below = ['attic', 'cellar'];
  const likeness = orders({ name: 'attic cellar', similarity: 'cellar attic' }, 'search=house');
  return [
    row('GET /groups', '/groups', [...below, 'house']),
    row('GET /groups/:id/subgroups', `/groups/${ids.house}/subgroups`, below, likeness),
    row('GET /groups/:id/descendant_groups', `/groups/${ids.house}/descendant_groups`, below, likeness),
    {
      operation: 'GET /groups/:id',
      path: `/groups/${ids.house}`,
      proofs: { with_projects: reading(({ projects }) => projects?.length, 'true => 2', 'false => undefined') },
    },
  ];
}

function projectRows({ ids, tokens }: ParameterFixture): Row[] {
  const name = ({ path_with_namespace }: { path_with_namespace: string }) => path_with_namespace;
  const all = 'ada/one ada/two house/attic/three house/one house/two';
  const filters: Proofs = {
    archived: on('true => ada/two house/two', 'false => ada/one house/attic/three house/one'),
    visibility: on('internal => ada/two house/two', 'public => ada/one house/attic/three house/one'),
    search: on('two => ada/two house/two', 'one => ada/one house/one'),
    search_namespaces: { ...on(`true => ${all}`, 'false =>'), beside: 'search=a' },
    owned: on('true => ada/one house/one', `false => ${all}`),
    starred: on('true => ada/one house/one', `false => ${all}`),
    min_access_level: on('20 => ada/one ada/two house/attic/three house/one house/two', '50 => ada/one house/one'),
    with_issues_enabled: on('true => ada/two house/attic/three house/two', `false => ${all}`),
    with_merge_requests_enabled: on('true => ada/one house/attic/three house/one', `false => ${all}`),
    topic: on('red => ada/one house/one', 'blue => ada/two house/two'),
    id_after: on(
      `${ids['house/one']} => ada/one ada/two house/attic/three house/two`,
      `${ids['ada/one']} => ada/two house/attic/three`,
    ),
    id_before: on(`${ids['house/two']} => house/one`, `${ids['ada/two']} => ada/one house/one house/two`),
    last_activity_after: on(
      '2020-06-01 => ada/one ada/two house/attic/three house/two',
      '2022-06-01 => ada/two house/attic/three',
    ),
    last_activity_before: on('2020-06-01 => house/one', '2022-06-01 => ada/one house/one house/two'),
    updated_after: on(
      '2020-06-01 => ada/one ada/two house/attic/three house/two',
      '2022-06-01 => ada/two house/attic/three',
    ),
    updated_before: on('2020-06-01 => house/one', '2022-06-01 => ada/one house/one house/two'),
    active: on('true => ada/one house/attic/three house/one', 'false => ada/two house/two'),
    topic_id: refused('1'),
    with_programming_language: refused('Ruby'),
    marked_for_deletion_on: refused('2026-01-01'),
    repository_storage: { ...refused('default'), as: tokens.root },
  };
  const age = 'house/one house/two ada/one ada/two house/attic/three';
  const ordering = orders({
    id: age,
    created_at: age,
    name: 'house/one ada/one house/attic/three house/two ada/two',
    path: 'house/one ada/one house/attic/three house/two ada/two',
    updated_at: age,
    last_activity_at: age,
    star_count: age.split(' ').reverse().join(' '),
    similarity: age,
  });
  const row = (operation: string, path: string, home: string, within: string, more: Proofs = {}): Row => ({
    operation,
    path,
    token: tokens.eve,
    name,
    within: within.split(' '),
    proofs: {
      ...filters,
      ...ordering,
      search_namespaces: {
        ...on(`true => ${within.replace(home === 'house' ? /ada.\w+ ?/g : /$/, '')}`, 'false =>'),
        beside: `search=${home}`,
      },
      simple: { ...reading((body) => 'archived' in body[0], 'true => false', 'false => true'), at: path },
      membership: { ...on('true =>', `false => ${within}`), as: home === 'ada' ? tokens.root : tokens.ada },
      ...more,
    },
  });
  const inHouse = `/groups/${ids.house}/projects`;
  return [
    row('GET /projects', '/projects', 'house', all, {
      membership: { ...on('true => ada/one ada/two', `false => ${all}`), as: tokens.ada },
    }),
    row('GET /users/:id/projects', '/users/ada/projects', 'ada', 'ada/one ada/two'),
    row('GET /groups/:id/projects', inHouse, 'house', 'house/one house/two', {
      include_subgroups: {
        ...on('true => house/attic/three house/one house/two', 'false => house/one house/two'),
        at: inHouse,
      },
      include_ancestor_groups: {
        ...on('true => house/attic/three house/one house/two', 'false => house/attic/three'),
        at: `/groups/${ids.attic}/projects`,
      },
      with_shared: because('no project is shared with a group'),
      with_security_reports: refused('true'),
    }),
  ];
}

function memberRows({ ids }: ParameterFixture): Row[] {
  const name = (member: { username: string }) => member.username;
  return ['groups', 'projects'].flatMap((kind) => {
    // The other member of the group is root, who made it. The project has one member of its own, and inherits these.
    const [path, other] = kind === 'groups' ? [`/groups/${ids.work}`, 'root'] : [`/projects/${ids.main}`, 'ada'];
    return ['', '/all'].map((suffix) => {
      const bob = kind === 'groups' || suffix === '/all' ? 'bob' : '';
      return {
        operation: `GET /${kind}/:id/members${suffix}`,
        path: `${path}/members${suffix}`,
        name,
        proofs: {
          query: on(`${other.toUpperCase()} => ${other}`, `bob => ${bob}`),
          user_ids: on(`${ids[other]} => ${other}`, `${ids.bob} => ${bob}`),
          state: refused('awaiting'),
        },
      };
    });
  });
}

function planRows({ ids }: ParameterFixture): Row[] {
  const name = (label: { name: string }) => label.name;
  const title = (milestone: { title: string }) => milestone.title;
  const group = `/groups/${ids.work}`;
  const sub = `/groups/${ids.sub}`;
  const project = `/projects/${ids.main}`;
  const milestones = {
    iids: on('1 => v1', '1,2 => v1 v2'),
    state: on('active => v1', 'closed => v2', 'all => v1 v2'),
    title: on('v1 => v1', 'v2 => v2'),
    search: on('about v1 => v1', 'v => v1 v2'),
    include_ancestors: on('true => above other v1 v2', 'false => v1 v2'),
    include_parent_milestones: on('true => above other v1 v2', 'false => v1 v2'),
    updated_after: on('2020-06-01 => v2', '2019-01-01 => v1 v2'),
    updated_before: on('2020-06-01 => v1', '2021-06-01 => v1 v2'),
    containing_date: on('2020-06-01 => v1', '2021-06-01T23:00:00Z => v1 v2'),
  };
  return [
    {
      operation: 'GET /groups/:id/labels',
      path: group,
      name,
      proofs: {
        search: { ...on('abo => above', 'bro => '), at: `${group}/labels` },
        include_ancestor_groups: { ...on('true => above below', 'false => below'), at: `${sub}/labels` },
        include_descendant_groups: { ...on('true => above below', 'false => above'), at: `${group}/labels` },
        only_group_labels: { ...on('true => above', 'false => above bug feature'), at: `${group}/labels` },
      },
    },
    {
      operation: 'GET /projects/:id/labels',
      path: `${project}/labels`,
      name,
      proofs: {
        search: on('broken => bug', 'feature => feature'),
        include_ancestor_groups: on('true => above bug feature', 'false => bug feature'),
      },
    },
    {
      operation: 'GET /groups/:id/labels/:label_id',
      path: `${sub}/labels/above`,
      proofs: { include_ancestor_groups: { ...statuses, at: `${sub}/labels/above` } },
    },
    {
      operation: 'GET /projects/:id/labels/:label_id',
      path: `${project}/labels/above`,
      proofs: { include_ancestor_groups: { ...statuses, at: `${project}/labels/above` } },
    },
    { operation: 'GET /projects/:id/milestones', path: `${project}/milestones`, name: title, proofs: milestones },
    {
      operation: 'GET /groups/:id/milestones',
      path: `${group}/milestones`,
      name: title,
      proofs: {
        iids: on('1 => above', '1,2 => above other'),
        state: on('active => above', 'closed => other', 'all => above other'),
        title: on('above => above', 'other => other'),
        search: on('about above => above', 'about => above other'),
        include_ancestors: { ...on('true => above below other', 'false => below'), at: `${sub}/milestones` },
        include_parent_milestones: { ...on('true => above below other', 'false => below'), at: `${sub}/milestones` },
        include_descendants: on('true => above below other', 'false => above other'),
        containing_date: on('2022-06-01 => above', '2023-06-01 => other'),
        updated_after: on('2022-06-01 => other', '2019-01-01 => above other'),
        updated_before: on('2022-06-01 => above', '2023-06-01 => above other'),
      },
    },
  ];
}

const statuses = {
  cases: ['true => 200', 'false => 404'],
  read: (_body: unknown, { status }: { status: number }) => status,
};
