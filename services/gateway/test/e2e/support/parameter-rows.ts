import { administrationRows } from './parameter-administration';
import { because, on, orders, type Proofs, type Row, reading, refused } from './parameter-cases';
import { deliveryRows } from './parameter-deliveries';
import type { ParameterFixture } from './parameter-fixture';
import { issuableRows } from './parameter-issuables';
import { packageRows } from './parameter-packages';
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
  ...administrationRows(fixture),
  ...deliveryRows(fixture),
  ...packageRows(fixture),
];

/** Whether the first item of a list, or the one object of the reply, has a field, for administrators. */
const shows = (field: string, as?: string) => ({
  ...reading((body) => field in (Array.isArray(body) ? body[0] : body), 'true => true', 'false => false'),
  as,
});

/** Custom attributes, whose names are the administrators' own. */
const customAttributes = (as: string | undefined): Proofs => ({
  with_custom_attributes: shows('custom_attributes', as),
  custom_attributes: because('its members are named by the caller; custom-attribute.comp.test shows the filter'),
});

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
        ...customAttributes(undefined),
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
      operation: 'GET /users/:id',
      path: `/users/${ids.ada}`,
      proofs: { with_custom_attributes: shows('custom_attributes') },
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
      operation: 'GET /user/activities',
      path: '/user/activities',
      proofs: { from: because('activity is noted concurrently with the requests; user-emails.comp.test shows it') },
    },
    ...['GET /groups/:id/service_accounts', 'GET /service_accounts'].map((operation) => ({
      operation,
      path: '/service_accounts',
      proofs: {
        order_by: because('accounts would be among all users; service-accounts.comp.test shows it'),
        sort: because('accounts would be among all users; service-accounts.comp.test shows it'),
      },
    })),
    ...[
      'GET /groups/:id/service_accounts/:user_id/personal_access_tokens',
      'GET /groups/:id/access_tokens',
      'GET /projects/:id/access_tokens',
    ].map((operation) => ({
      operation,
      path: '/service_accounts',
      proofs: Object.fromEntries(
        [
          ...['revoked', 'state', 'search', 'created_after', 'created_before', 'last_used_after', 'last_used_before'],
          ...['expires_after', 'expires_before', 'sort'],
        ].map((name) => [name, because('one list of tokens; that of GET /personal_access_tokens shows it')]),
      ),
    })),
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
    statistics: shows('statistics', tokens.root),
    ...customAttributes(tokens.root),
    repository_storage: { ...on('default => attic cellar house', 'other =>'), as: tokens.root },
    marked_for_deletion_on: because('nothing is marked without a delay; group-rules.comp.test shows it'),
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
  const invited = (operation: string, path: string): Row => ({
    operation,
    path: `${path}/invited_groups`,
    token: tokens.eve,
    name,
    proofs: {
      search: on('gui => guild', 'lod => lodge'),
      min_access_level: on('10 => guild', '50 =>'),
      relation: on('direct => guild', 'inherited => lodge', 'direct,inherited => guild lodge'),
      with_custom_attributes: shows('custom_attributes', tokens.root),
    },
  });
  const below = ['attic', 'cellar'];
  const likeness = orders({ name: 'attic cellar', similarity: 'cellar attic' }, 'search=house');
  return [
    row('GET /groups', '/groups', [...below, 'house']),
    row('GET /groups/:id/subgroups', `/groups/${ids.house}/subgroups`, below, likeness),
    row('GET /groups/:id/descendant_groups', `/groups/${ids.house}/descendant_groups`, below, likeness),
    {
      operation: 'GET /groups/:id/groups/shared',
      path: `/groups/${ids.guild}/groups/shared`,
      token: tokens.eve,
      name,
      proofs: {
        skip_groups: on(`${ids.attic} => cellar`, `${ids.cellar} => attic`),
        search: on('att => attic', 'cellar => cellar'),
        visibility: on('public => attic', 'internal => cellar'),
        min_access_level: on('30 => attic cellar', '50 => cellar'),
        with_custom_attributes: shows('custom_attributes', tokens.root),
        ...likeness,
      },
    },
    invited('GET /groups/:id/invited_groups', `/groups/${ids.attic}`),
    invited('GET /projects/:id/invited_groups', `/projects/${ids['house/one']}`),
    {
      operation: 'GET /groups/:id/transfer_locations',
      path: `/groups/${ids.cellar}/transfer_locations`,
      name: ({ full_path }) => full_path,
      within: ['house', 'house/attic', 'house/cellar'],
      proofs: { search: on('att => house/attic', 'cellar =>') },
    },
    {
      operation: 'GET /groups/:id',
      path: `/groups/${ids.house}`,
      proofs: {
        with_projects: reading(({ projects }) => projects?.length, 'true => 2', 'false => undefined'),
        statistics: shows('root_storage_statistics'),
        with_custom_attributes: shows('custom_attributes'),
      },
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
    statistics: shows('statistics'),
    ...customAttributes(tokens.root),
    topic_id: on(`${ids['topic red']} => ada/one house/one`, `${ids['topic blue']} => ada/two house/two`),
    with_programming_language: refused('Ruby'),
    marked_for_deletion_on: because('nothing is marked without a delay; group-rules.comp.test shows it'),
    repository_storage: { ...on(`default => ${all}`, 'other =>'), as: tokens.root },
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
  const shared = `/groups/${ids.guild}/projects/shared`;
  const aged = 'house/one house/two';
  const sharedOrders = orders({
    id: aged,
    created_at: aged,
    name: aged,
    path: aged,
    updated_at: aged,
    last_activity_at: aged,
    star_count: 'house/two house/one',
    similarity: aged,
  });
  return [
    {
      operation: 'GET /projects/:id',
      path: `/projects/${ids['house/one']}`,
      proofs: {
        statistics: shows('statistics'),
        license: shows('license'),
        with_custom_attributes: shows('custom_attributes'),
      },
    },
    {
      operation: 'GET /topics',
      path: '/topics',
      name: (topic) => topic.name,
      within: ['red', 'blue', 'green'],
      proofs: {
        search: on('RED => red', 'blue => blue'),
        without_projects: on('true => green', 'false => blue green red'),
        organization_id: on('1 => blue green red', '2 =>'),
      },
    },
    {
      operation: 'GET /avatar',
      path: '/avatar',
      proofs: { email: because('no user of the fixture has an avatar; avatar.comp.test shows it') },
    },
    row('GET /projects', '/projects', 'house', all, {
      membership: { ...on('true => ada/one ada/two', `false => ${all}`), as: tokens.ada },
    }),
    row('GET /users/:id/projects', '/users/ada/projects', 'ada', 'ada/one ada/two'),
    row('GET /users/:id/starred_projects', '/users/ada/starred_projects', 'house', all, {
      membership: { ...on('true => ada/one ada/two', `false => ${all}`), as: tokens.ada },
    }),
    {
      operation: 'GET /projects/:id/starrers',
      path: `/projects/${ids['house/one']}/starrers`,
      name: ({ user }) => user.username,
      proofs: { search: on('EVE => eve', 'ada => ada') },
    },
    row('GET /projects/:id/forks', `/projects/${ids['ada/one']}/forks`, 'house', aged),
    row('GET /groups/:id/projects', inHouse, 'house', 'house/one house/two', {
      include_subgroups: {
        ...on('true => house/attic/three house/one house/two', 'false => house/one house/two'),
        at: inHouse,
      },
      include_ancestor_groups: {
        ...on('true => house/attic/three house/one house/two', 'false => house/attic/three'),
        at: `/groups/${ids.attic}/projects`,
      },
      with_shared: {
        ...on('true => house/one house/two', 'false =>'),
        at: `/groups/${ids.guild}/projects`,
      },
      with_security_reports: refused('true'),
    }),
    {
      operation: 'GET /groups/:id/projects/shared',
      path: shared,
      token: tokens.eve,
      name,
      proofs: {
        archived: on('true => house/two', 'false => house/one'),
        visibility: on('internal => house/two', 'public => house/one'),
        search: on('two => house/two', 'one => house/one'),
        starred: on('true => house/one', 'false => house/one house/two'),
        min_access_level: on('20 => house/one house/two', '50 => house/one'),
        with_issues_enabled: on('true => house/two', 'false => house/one house/two'),
        with_merge_requests_enabled: on('true => house/one', 'false => house/one house/two'),
        simple: reading((body) => 'archived' in body[0], 'true => false', 'false => true'),
        with_custom_attributes: shows('custom_attributes', tokens.root),
        ...sharedOrders,
      },
    },
    {
      operation: 'GET /projects/:id/transfer_locations',
      path: `/projects/${ids['ada/one']}/transfer_locations`,
      name: ({ full_path }) => full_path,
      within: ['house', 'house/attic', 'house/cellar'],
      proofs: { search: on('att => house/attic', 'house => house house/attic') },
    },
  ];
}

function memberRows({ ids }: ParameterFixture): Row[] {
  const name = (member: { username: string }) => member.username;
  const memberships: Row = {
    operation: 'GET /users/:id/memberships',
    path: `/users/${ids.bob}/memberships`,
    name: ({ source_name }: { source_name: string }) => source_name,
    proofs: { type: on('Namespace => Work', 'Project => ') },
  };
  const members = ['groups', 'projects'].flatMap((kind): Row[] => {
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
          skip_users: {
            ...on(`${ids.bob} => ${other}`, `${ids[other]} => ${bob}`),
            beside: `user_ids=${ids[other]},${ids.bob}`,
          },
          state: refused('awaiting'),
        },
      };
    });
  });
  return [memberships, ...members];
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
        include_ancestor_groups: { ...on('true => above below bug feature', 'false => below'), at: `${sub}/labels` },
        include_descendant_groups: {
          ...on('true => above below bug feature', 'false => above bug feature'),
          at: `${group}/labels`,
        },
        // Labels of the group's epics and of the project's issues have the same names.
        only_group_labels: {
          ...on('true => above bug feature', 'false => above bug bug feature feature'),
          at: `${group}/labels`,
        },
      },
    },
    {
      operation: 'GET /projects/:id/labels',
      path: `${project}/labels`,
      name,
      proofs: {
        search: on('broken => bug', 'feature => feature feature'),
        include_ancestor_groups: on('true => above bug bug feature feature', 'false => bug feature'),
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
