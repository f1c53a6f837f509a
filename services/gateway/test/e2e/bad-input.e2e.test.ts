import { connect } from 'node:net';
import { pageParameters } from '../../src/http/page';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';
import { noteables } from '../../src/routes/collaboration/noteables';
import { replyValidator } from '../support/reply-validator';
import { hostileTexts, hostileValues, pairs, seeded, segment, wrongFor } from './support/hostile-values';
import { type RawReply, type RawRequest, rawClient } from './support/raw-client';
import { type System, startSystem } from './support/system';

jest.setTimeout(240_000);

const seed = Number(process.env.SEED ?? 20_240_131);
/** No read takes longer; a write may wait for its turn at a branch. */
const slowestMs = 2_000;
const slowestWriteMs = 10_000;
/** Part of all parameters that one run tries; the seed says which. */
const share = Number(process.env.SHARE ?? 0.3);
const operationOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`;
const writes = (route: Route): boolean => route.method !== 'get';

/** Traces of the inside: stacks, paths, SQL, names of libraries, git's own words. */
const leaks =
  /\n\s+at |\.[jt]s:\d+|node_modules|\/(work|home|root|tmp|var)\/|\bSELECT\b.*\bFROM\b|prisma|pg_catalog|syntax error at|ECONN|ENOENT|fatal:|git (cat-file|rev-parse|update-ref)|[0-9]+ INTERNAL|UNKNOWN:/;

/** Whatever comes in, what goes out is a declared reply or a refusal in GitLab's shape (G-7), quickly. */
describe('bad input', () => {
  let system: System;
  let client: ReturnType<typeof rawClient>;
  const validate = replyValidator();
  /** Values of path parameters that name something, by operation or by parameter. */
  const known: Record<string, string> = {};
  /** Values of required parameters that are accepted. */
  const plausible: Record<string, unknown> = {};
  let group: number;
  let project: number;
  let other: number;
  let ada: number;
  let serial = 0;
  const next = (): number => {
    serial += 1;
    return serial;
  };

  const post = async (path: string, body: unknown, token?: string) => {
    const reply = await system.api('POST', path, { body, token });
    if (reply.status >= 300) throw new Error(`POST ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const send = (request: RawRequest, token = system.rootToken): Promise<RawReply> =>
    client.send({
      ...request,
      path: `/api/v4${request.path}`,
      headers: { ...(token === '' ? {} : { 'PRIVATE-TOKEN': token }), ...request.headers },
    });
  const json = (method: string, path: string, body: unknown, token?: string): Promise<RawReply> =>
    send({ method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }, token);
  const bodyOf = (reply: RawReply) => JSON.parse(reply.text);

  /** What is wrong with a reply; undefined when nothing is. */
  function fault(request: RawRequest, reply: RawReply): string | undefined {
    const told = `${request.method} ${request.path.slice(0, 200)} ${String(request.body ?? '').slice(0, 200)} → ${reply.status} ${reply.text.slice(0, 300)}`;
    if (reply.status >= 500) return `fails: ${told}`;
    if (reply.took > (request.method === 'GET' ? slowestMs : slowestWriteMs))
      return `took ${Math.round(reply.took)} ms: ${told}`;
    if (reply.status >= 400) {
      const { error, message, ...rest } = reply.text.startsWith('{') ? bodyOf(reply) : ({} as Record<string, unknown>);
      if (error === undefined && message === undefined) return `no error body: ${told}`;
      if (Object.keys(rest).some((key) => key !== 'error_description' && key !== 'scope')) return `odd body: ${told}`;
      if (!String(reply.headers['content-type']).startsWith('application/json')) return `not JSON: ${told}`;
      return leaks.test(reply.text) ? `tells too much: ${told}` : undefined;
    }
    const isJson = String(reply.headers['content-type']).startsWith('application/json');
    if (!isJson && reply.text !== '') return undefined;
    const path = request.path.split('?')[0] as string;
    const problems = validate(request.method, path, reply.status, reply.text === '' ? undefined : bodyOf(reply));
    return problems.length === 0 ? undefined : `breaks its contract (${problems.slice(0, 3).join('; ')}): ${told}`;
  }

  const inLanes = async <T>(items: readonly T[], work: (item: T) => Promise<void>, lanes = 6): Promise<void> => {
    let at = 0;
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        while (at < items.length) {
          const item = items[at] as T;
          at += 1;
          await work(item);
        }
      }),
    );
  };

  /** The path of a route, its parameters given or known. */
  const pathOf = (route: Route, given: Record<string, string> = {}): string =>
    route.path.replace(/:([a-z_]+)/g, (_, name: string) => {
      const value =
        given[name] ??
        known[`${operationOf(route)} ${name}`] ??
        known[`${route.path.split('/')[1]}.${name}`] ??
        known[name];
      if (value === undefined) throw new Error(`no value for :${name} of ${operationOf(route)}`);
      return value;
    });

  /** The project or group of routes that would take the common one away, made afresh for every request. */
  async function victim(route: Route): Promise<Record<string, string>> {
    const name = `victim-${next()}`;
    switch (operationOf(route)) {
      case 'DELETE /projects/:id':
      case 'POST /projects/:id/archive':
      case 'PUT /projects/:id/transfer':
      case 'PUT /projects/:id':
        return { id: String((await post('/projects', { name })).id) };
      case 'DELETE /groups/:id':
      case 'POST /groups/:id/transfer':
      case 'PUT /groups/:id':
      case 'POST /groups/:id/restore':
        return { id: String((await post('/groups', { name, path: name })).id) };
      case 'PUT /users/:id':
      case 'DELETE /users/:id':
      case 'POST /users/:id/block':
      case 'POST /users/:id/deactivate': {
        const email = `${name}@example.com`;
        return { id: String((await post('/users', { name, username: name, email, force_random_password: true })).id) };
      }
      default:
        return {};
    }
  }
  /** A token that the request may use up. */
  const tokenFor = async (route: Route): Promise<string> =>
    writes(route) && route.path.startsWith('/personal_access_tokens')
      ? (await post(`/users/1/personal_access_tokens`, { name: 'spent', scopes: ['api'] })).token
      : system.rootToken;

  beforeAll(async () => {
    system = await startSystem();
    client = rawClient(system.url);
    ada = (
      await post('/users', { name: 'Ada', username: 'ada', email: 'ada@example.com', force_random_password: true })
    ).id;
    for (let index = 0; index < 4; index += 1)
      await post('/users', {
        name: `U${index}`,
        username: `u${index}`,
        email: `u${index}@example.com`,
        force_random_password: true,
      });
    const token = await post(`/users/${ada}/personal_access_tokens`, { name: 'api', scopes: ['api'] });
    group = (await post('/groups', { name: 'Fuzz', path: 'fuzz' })).id;
    for (let index = 0; index < 5; index += 1)
      await post('/groups', { name: `S${index}`, path: `s${index}`, parent_id: group });
    project = (
      await post('/projects', { name: 'Main', path: 'main', namespace_id: group, initialize_with_readme: true })
    ).id;
    other = (
      await post('/projects', { name: 'Other', path: 'other', namespace_id: group, initialize_with_readme: true })
    ).id;
    for (let index = 0; index < 4; index += 1) await post('/projects', { name: `P${index}`, namespace_id: group });
    const at = `/projects/${project}`;
    await post(`${at}/members`, { user_id: ada, access_level: 40 });
    for (let index = 0; index < 4; index += 1) {
      const id = (await system.api('GET', `/users?username=u${index}`)).body[0].id;
      await post(`${at}/members`, { user_id: id, access_level: 30 });
      await post(`/groups/${group}/members`, { user_id: id, access_level: 20 });
    }
    await post(`/groups/${group}/members`, { user_id: ada, access_level: 20 });
    const ids: Record<string, number> = {};
    for (const parent of [at, `/groups/${group}`])
      for (let index = 0; index < 5; index += 1) {
        ids[`${parent}/label`] = (
          await post(`${parent}/labels`, { name: `l${index}-${parent.length}`, color: '#00ff00' })
        ).id;
        ids[`${parent}/milestone`] = (await post(`${parent}/milestones`, { title: `m${index}` })).id;
      }
    let head = '';
    for (let index = 0; index < 6; index += 1) {
      const commit = await post(`${at}/repository/commits`, {
        branch: `b${index}`,
        start_branch: 'main',
        commit_message: `Change ${index}`,
        actions: [0, 1, 2, 3].map((file) => ({
          action: 'create',
          file_path: `d${file}/f${index}.txt`,
          content: `${file}\n`,
        })),
      });
      head = commit.id;
      await post(`${at}/repository/tags`, { tag_name: `v${index}`, ref: `b${index}` });
      await post(`${at}/merge_requests`, {
        source_branch: `b${index}`,
        target_branch: 'main',
        title: `MR ${index}`,
        labels: `l${index}-${at.length}`,
        assignee_ids: [ada],
        reviewer_ids: [ada],
      });
      await post(`${at}/statuses/${head}`, { state: 'running', name: `job ${index}`, ref: `b${index}` });
    }
    let issue = 0;
    for (let index = 0; index < 5; index += 1) {
      const made = await post(`${at}/issues`, {
        title: `Issue ${index}`,
        description: `Something for @ada in !${index + 1}`,
        labels: `l${index}-${at.length}`,
        assignee_ids: [ada],
        due_date: index === 2 ? null : `2027-01-0${index + 1}`,
        weight: index === 3 ? null : index,
        confidential: index === 4,
      });
      issue = made.id;
    }
    for (let index = 0; index < 4; index += 1) {
      await post(`${at}/statuses/${head}`, { state: 'success', name: `more ${index}`, ref: 'b5' });
      await post(`${at}/protected_branches`, { name: `release/${index}` });
    }
    // Landed cars and receipts that have been verified, without the CI that they take: reads have something to read that stays as it is.
    await system.query(
      'merge_requests',
      `with train as (insert into merge_trains (project_id, target_branch) values (${project}, 'main') returning id), cars as (
          insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
            remove_source_branch, status)
          select train.id, mr.project_id, 'main', mr.id, mr.author_id, mr.source_sha, false, false, 'merged'
          from train, merge_requests mr where mr.project_id = ${project} returning id, merge_request_id),
        receipts as (insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method,
            squash, head_sha, base_sha, landed_sha, landed_tree, added_by_id, boarded_at, landed_at)
          select ${project}, mr.id, mr.iid, cars.id, 'main', 'merge', false, mr.source_sha, mr.source_sha, mr.source_sha,
            mr.source_sha, 1, now(), now()
          from cars join merge_requests mr on mr.id = cars.merge_request_id returning id)
        insert into landing_verifications (receipt_id, differences) select id, '{}' from receipts`,
    );
    for (let index = 0; index < 5; index += 1)
      await post(`${at}/snippets`, {
        title: `Snippet ${index}`,
        visibility: ['public', 'internal', 'private'][index % 3],
        files: [{ file_path: 'README.md', content: 'x' }],
      });
    let integration = 0;
    for (let index = 0; index < 4; index += 1)
      integration = (await post(`${at}/alert_management/http_integrations`, { name: `I${index}`, active: true })).id;
    const receipt = '11111111-2222-3333-4444-555555555555';
    await system.query(
      'alerts',
      `with raised as (
          insert into alerts (project_id, iid, title, severity, started_at, starts_told, last_started_at, format, payload, integration_id,
            status, ended_at)
          select ${project}, n, 'Alert', 1, now(), false, now(), 'custom', '{"a":{"b":1e400}}', ${integration}, n % 4,
            case when n % 4 = 2 then now() end from generate_series(1, 5) n
          returning id),
        counted as (insert into alert_counters (project_id, last_iid) values (${project}, 5)),
        told as (
          insert into alert_receipts (id, project_id, integration_id, format, items)
          values ('${receipt}', ${project}, ${integration}, 'custom', '[{"outcome":"created","iid":1,"title":"Alert"}]'))
        insert into alert_assignees (alert_id, user_id) select id, ${ada} from raised`,
    );
    // Notes, threads and reactions of each kind of object; what would take them away is asked for others.
    const spoken: Record<string, string> = {};
    for (const kind of noteables) {
      const one = kind.path.replace(/:([a-z_]+)/g, (_, name: string) =>
        name === 'id' ? String(project) : name === 'commit_id' ? head : '1',
      );
      for (let index = 0; index < 4; index += 1) {
        if (kind.hasNotes) await post(`${one}/notes`, { body: `Note ${index}` });
        if (kind.hasReactions) await post(`${one}/award_emoji`, { name: ['star', 'heart', 'tada', 'eyes'][index] });
      }
      const thread = await post(`${one}/discussions`, { body: 'Thread' });
      const [note] = thread.notes;
      const award = kind.hasReactions ? await post(`${one}/award_emoji`, { name: 'rocket' }) : undefined;
      const noteAward = kind.hasNotes
        ? await post(`${one}/notes/${note.id}/award_emoji`, { name: 'rocket' })
        : undefined;
      for (const route of routes.filter(({ path }) => path.startsWith(`${kind.path}/`))) {
        const removes = route.method === 'delete';
        const reaction = route.path.includes(':note_id') ? noteAward : award;
        spoken[`${operationOf(route)} note_id`] = removes && /note_id$/.test(route.path) ? '999999' : String(note.id);
        spoken[`${operationOf(route)} discussion_id`] = thread.id;
        spoken[`${operationOf(route)} award_id`] = removes ? '999999' : String(reaction?.id);
      }
    }
    const pipeline = await post(`${at}/pipeline`, { ref: 'b1' });
    await post(`${at}/pipeline`, { ref: 'main' });
    const { body: versions } = await system.api('GET', `${at}/merge_requests/1/versions`);
    const { body: tree } = await system.api('GET', `${at}/repository/tree`);
    Object.assign(known, spoken, {
      'projects.id': String(project),
      'groups.id': String(group),
      'users.id': String(ada),
      'namespaces.id': 'fuzz',
      'todos.id': '1',
      'issues.id': String(issue),
      issue_iid: '1',
      ref: 'main',
      'DELETE /projects/:id/issues/:issue_iid issue_iid': '999',
      'POST /projects/:id/issues/:issue_iid/move issue_iid': '5',
      user_id: String(ada),
      token_id: String(token.id),
      'groups.label_id': String(ids[`/groups/${group}/label`]),
      'projects.label_id': String(ids[`${at}/label`]),
      'groups.milestone_id': String(ids[`/groups/${group}/milestone`]),
      'projects.milestone_id': String(ids[`${at}/milestone`]),
      merge_request_iid: '1',
      'PUT /projects/:id/merge_requests/:merge_request_iid/merge merge_request_iid': '2',
      'DELETE /projects/:id/merge_requests/:merge_request_iid merge_request_iid': '999',
      branch: 'main',
      'projects.target_branch': 'main',
      sha: head,
      commit_id: head,
      snippet_id: '1',
      alert_iid: '1',
      receipt_id: receipt,
      integration_id: String(integration),
      'DELETE /projects/:id/alert_management/http_integrations/:integration_id integration_id': '999',
      'DELETE /projects/:id/snippets/:snippet_id snippet_id': '999',
      'GET /projects/:id/repository/blobs/:sha sha': tree.find((entry: { type: string }) => entry.type === 'blob').id,
      'GET /projects/:id/repository/blobs/:sha/raw sha': tree.find((entry: { type: string }) => entry.type === 'blob')
        .id,
      file_path: 'README.md',
      name: 'main',
      'DELETE /projects/:id/protected_branches/:name name': 'none',
      'DELETE /projects/:id/repository/branches/:branch branch': 'none',
      tag_name: 'v1',
      version_id: String(versions[0].id),
      pipeline_id: String(pipeline.id),
      'DELETE /projects/:id/pipelines/:pipeline_id pipeline_id': '999999',
    });
    Object.assign(plausible, {
      email: () => `fuzz${next()}@example.com`,
      name: () => `Fuzz ${next()}`,
      username: () => `fuzz${next()}`,
      force_random_password: true,
      scopes: ['api'],
      path: () => `fuzz-${next()}`,
      namespace: 'root',
      user_id: () => String(ada),
      access_level: 20,
      color: '#ff0000',
      title: () => `Title ${next()}`,
      branch: 'b1',
      ref: 'main',
      commit_message: 'Change',
      actions: () => [{ action: 'create', file_path: `new-${next()}`, content: 'x' }],
      content: () => `x${next()}`,
      from: 'main',
      to: 'b1',
      refs: ['main', 'b1'],
      tag_name: () => `t${next()}`,
      source_branch: 'b1',
      target_branch: 'main',
      state: 'success',
      new_name: () => `l${next()}`,
      visibility: 'private',
      active: true,
      payload: () => ({ title: `Alert ${next()}` }),
      duration: '1h 30m',
      body: () => `Text ${next()}`,
      note: () => `Text ${next()}`,
      resolved: true,
      to_project_id: () => String(other),
    });
  });
  afterAll(async () => {
    client?.close();
    await system?.close();
  });

  const shapeOf = (route: Route): Record<string, unknown> => ({
    ...(route.list === undefined ? {} : pageParameters(route.list)),
    ...route.params,
  });
  const accepts = (schema: unknown, value: unknown): boolean =>
    (schema as { safeParse(value: unknown): { success: boolean } }).safeParse(value).success;
  const isRequired = (schema: unknown): boolean => !accepts(schema, undefined);
  const sample = (name: string): unknown => {
    const value = plausible[name];
    return typeof value === 'function' ? value() : value;
  };
  const baseOf = (route: Route): Record<string, unknown> => ({
    ...Object.fromEntries(
      Object.entries(route.params ?? {})
        .filter(([, schema]) => isRequired(schema))
        .map(([name]) => [name, sample(name)]),
    ),
    ...(operationOf(route) === 'POST /users' ? { force_random_password: true } : {}),
    ...(operationOf(route) === 'POST /projects' ? { name: sample('name') } : {}),
    ...(/^POST .*members$/.test(operationOf(route)) ? { user_id: String(ada) } : {}),
    ...(/^PUT .projects.:id.(merge_requests|issues).:[a-z_]+_iid$/.test(operationOf(route)) ? { title: 'T' } : {}),
  });

  /** A request with these parameters: query on reads; JSON, form or multipart on writes. */
  function requestOf(route: Route, path: string, values: Record<string, unknown>, form: number): RawRequest {
    const method = route.method.toUpperCase();
    const written = Object.entries(values).flatMap(([name, value]) => pairs(name, value));
    if (!writes(route))
      return { method, path: written.length === 0 ? path : `${path}?${written.join('&')}`.slice(0, 20_000) };
    if (form < 0.6)
      return { method, path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(values) };
    if (form < 0.8)
      return {
        method,
        path,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: written.join('&'),
      };
    const part = (pair: string): string => {
      const at = pair.indexOf('=');
      const name = decodeURIComponent(pair.slice(0, at)).replaceAll('"', '%22');
      const value = pair.slice(at + 1).includes('%ED%A0%80')
        ? pair.slice(at + 1)
        : decodeURIComponent(pair.slice(at + 1));
      return `--line\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    };
    return {
      method,
      path,
      headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
      body: `${written.map(part).join('')}--line--\r\n`,
    };
  }

  it('walks every list by keyset as by offset: no row skipped, none twice', async () => {
    const walks = routes
      .filter(({ list, method }) => list !== undefined && method === 'get')
      .flatMap((route) =>
        (route.list?.orderBy?.length ? route.list.orderBy : [undefined]).flatMap((order) =>
          (route.list?.sort === undefined ? [undefined] : ['asc', 'desc']).map((sort) => ({ route, order, sort })),
        ),
      );
    const problems: string[] = [];
    await inLanes(walks, async ({ route, order, sort }) => {
      const required = Object.entries(baseOf(route)).flatMap(([name, value]) => pairs(name, value));
      const own = ['GET /merge_requests', 'GET /issues'].includes(operationOf(route)) ? ['scope=all'] : [];
      const query = [...required, ...own, ...(order ? [`order_by=${order}`] : []), ...(sort ? [`sort=${sort}`] : [])];
      const at = pathOf(route);
      const name = `${at}?${query.join('&')}`;
      const whole = await send({ method: 'GET', path: `${at}?${[...query, 'per_page=100'].join('&')}` });
      if (whole.status !== 200) return void problems.push(`${name}: ${whole.status} ${whole.text}`);
      const expected = bodyOf(whole) as unknown[];
      if (whole.headers['x-total'] !== undefined && Number(whole.headers['x-total']) !== expected.length)
        problems.push(`${name}: X-Total ${whole.headers['x-total']} for ${expected.length} rows`);
      const walk = async (first: string, keyset: boolean): Promise<void> => {
        const rows: unknown[] = [];
        let url: string | undefined = first;
        for (let step = 0; url !== undefined && step < 60; step += 1) {
          const page: RawReply = await send({ method: 'GET', path: url });
          if (page.status !== 200) return void problems.push(`${url}: ${page.status} ${page.text}`);
          rows.push(...bodyOf(page));
          if (keyset && (page.headers['x-total'] !== undefined || page.headers['x-page'] !== undefined))
            problems.push(`${url}: totals on a keyset page`);
          const link = /<([^>]+)>; rel="next"/.exec(String(page.headers.link ?? ''))?.[1];
          url = link?.slice(link.indexOf('/api/v4') + 7);
        }
        if (JSON.stringify(rows) !== JSON.stringify(expected))
          problems.push(
            `${first}: ${rows.length} rows where the whole list has ${expected.length}, or in another order`,
          );
      };
      await walk(`${at}?${[...query, 'per_page=2'].join('&')}`, false);
      await walk(`${at}?${[...query, 'per_page=2', 'pagination=keyset'].join('&')}`, true);
    });
    expect(problems).toEqual([]);
  });

  it('refuses cursors it did not give', async () => {
    const foreign = await send({ method: 'GET', path: '/users?pagination=keyset&order_by=username&per_page=1' });
    const cursors = [
      'x',
      '%00',
      'e30',
      Buffer.from('null').toString('base64url'),
      Buffer.from('[1]').toString('base64url'),
      Buffer.from('{"id":"1; drop table users"}').toString('base64url'),
      Buffer.from('{"id":{"a":1},"_kd":"n"}').toString('base64url'),
      Buffer.from('{"id":"99999999999999999999999999","_kd":"n"}').toString('base64url'),
      Buffer.from('{"id":"1","created_at":"yesterday","_kd":"n"}').toString('base64url'),
      Buffer.from('{"name":"a\\u0000","id":"1","_kd":"n"}').toString('base64url'),
      Buffer.from('{"__proto__":{"id":"1"},"_kd":"q"}').toString('base64url'),
      'a'.repeat(5_000),
      String(foreign.headers['x-next-cursor']),
    ];
    const problems: string[] = [];
    await inLanes(
      // The cursor of lists with a public `page_token` is a name, and every name has a place.
      routes.filter(
        ({ list, method, params }) => list !== undefined && method === 'get' && params?.page_token === undefined,
      ),
      async (route) => {
        const required = Object.entries(baseOf(route)).flatMap(([name, value]) => pairs(name, value));
        for (const cursor of cursors) {
          const request = {
            method: 'GET',
            path: `${pathOf(route)}?${[...required, 'scope=all'].join('&')}&pagination=keyset&cursor=${cursor}`.replace(
              route.path.includes('merge_requests') ? '' : 'scope=all',
              '',
            ),
          };
          const reply = await send(request);
          const found =
            fault(request, reply) ??
            (reply.status === 400 ? undefined : `accepted: ${request.path.slice(0, 200)} ${reply.status}`);
          if (found !== undefined) problems.push(found);
        }
      },
    );
    expect(problems).toEqual([]);
  });

  it('answers HEAD and If-None-Match on every read', async () => {
    const problems: string[] = [];
    await inLanes(
      routes.filter(
        (route) => route.method === 'get' && route.path !== '/projects/:id/merge_requests/:merge_request_iid/merge_ref',
      ),
      async (route) => {
        const { path } = requestOf(route, pathOf(route), baseOf(route), 0);
        const full = await send({ method: 'GET', path });
        if (full.status !== 200) return void problems.push(`GET ${path}: ${full.status} ${full.text}`);
        const head = await send({ method: 'HEAD', path });
        if (head.status !== 200 || head.text !== '') problems.push(`HEAD ${path}: ${head.status}`);
        for (const name of ['content-type', 'etag', 'x-total', 'link'])
          if (String(head.headers[name] ?? '').replace(/runtime.*/, '') !== String(full.headers[name] ?? ''))
            problems.push(`HEAD ${path}: ${name} is ${head.headers[name]}, not ${full.headers[name]}`);
        const tag = full.headers.etag;
        if (typeof tag !== 'string') return void problems.push(`GET ${path}: no ETag`);
        if (!tag.startsWith('W/"')) problems.push(`GET ${path}: ETag ${tag} is not weak`);
        const same = await send({ method: 'GET', path, headers: { 'If-None-Match': tag } });
        if (same.status !== 304 || same.text !== '') problems.push(`304 of ${path}: ${same.status}`);
      },
    );
    expect(problems).toEqual([]);
  });

  it('answers wrong verbs with 405 and the right ones', async () => {
    const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    const paths = new Map<string, Route[]>();
    for (const route of routes) paths.set(route.path, [...(paths.get(route.path) ?? []), route]);
    const problems: string[] = [];
    await inLanes([...paths], async ([path, there]) => {
      const method = verbs.find((verb) => there.every((route) => route.method.toUpperCase() !== verb)) as string;
      // A sibling with a parameter in this place may serve the verb: `POST /personal_access_tokens/:token_id/rotate`.
      if (
        routes.some(
          (route) =>
            route.method.toUpperCase() === method &&
            new RegExp(`^${route.path.replace(/:[a-z_]+/g, '[^/]+')}$`).test(path),
        )
      )
        return;
      const reply = await send({ method, path: pathOf(there[0] as Route) });
      const allowed = String(reply.headers.allow ?? '').split(', ');
      const declared = there.map((route) => route.method.toUpperCase());
      if (
        reply.status !== 405 ||
        reply.text !== '{"error":"405 Not Allowed"}' ||
        !declared.every((verb) => allowed.includes(verb))
      )
        problems.push(`${method} ${path}: ${reply.status} ${reply.text} Allow: ${reply.headers.allow}`);
    });
    expect(problems).toEqual([]);
  });

  it('names every parameter of a wrong type, and every missing one, in one 400', async () => {
    const problems: string[] = [];
    await inLanes(
      routes.filter((route) => Object.keys(shapeOf(route)).length > 0),
      async (route) => {
        const shape = shapeOf(route);
        const given = await victim(route);
        const token = await tokenFor(route);
        const wrong = Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, wrongFor(schema)]));
        const numbers = Object.entries(route.path_params ?? {})
          .filter(([, schema]) => !accepts(schema, 'nope'))
          .map(([name]) => name);
        const path = pathOf(route, { ...given, ...Object.fromEntries(numbers.map((name) => [name, 'nope'])) });
        for (const form of writes(route) ? [0, 0.7, 0.9] : [0]) {
          const request = requestOf(route, path, wrong, form);
          const reply = await send(request, token);
          const found = fault(request, reply);
          if (found !== undefined) problems.push(found);
          const told = reply.status === 400 ? String(bodyOf(reply).error).split(', ') : [];
          const unnamed = [...Object.keys(wrong), ...numbers].filter(
            (name) => !told.some((text) => text.startsWith(`${name} `) || text.startsWith(`${name}[`)),
          );
          if (unnamed.length > 0)
            problems.push(
              `${operationOf(route)} (${form}) does not name ${unnamed.join(' ')}: ${reply.status} ${reply.text}`,
            );
        }
        const required = Object.entries(shape)
          .filter(([, schema]) => isRequired(schema))
          .map(([name]) => name);
        if (required.length === 0) return;
        const reply = await send(requestOf(route, pathOf(route, given), {}, 0), token);
        const told = reply.status === 400 ? String(bodyOf(reply).error).split(', ') : [];
        const unnamed = required.filter((name) => !told.includes(`${name} is missing`));
        if (unnamed.length > 0)
          problems.push(`${operationOf(route)} misses no ${unnamed}: ${reply.status} ${reply.text}`);
      },
    );
    expect(problems).toEqual([]);
  });

  it('survives hostile values in every parameter of every route', async () => {
    const problems: string[] = [];
    let sent = 0;
    const tries = routes.flatMap((route, index) => {
      const random = seeded(seed + index);
      const pick = (): unknown => {
        const all = random() < 0.7 ? hostileTexts : hostileValues;
        return all[Math.floor(random() * all.length)];
      };
      return Object.keys(shapeOf(route)).flatMap((name) =>
        random() < share ? [{ route, name, value: pick(), form: random() }] : [],
      );
    });
    await inLanes(tries, async ({ route, name, value, form }) => {
      const given = await victim(route);
      const request = requestOf(route, pathOf(route, given), { ...baseOf(route), [name]: value }, form);
      const reply = await send(request, await tokenFor(route));
      sent += 1;
      const found = fault(request, reply);
      if (found !== undefined) problems.push(`${operationOf(route)} ${name}: ${found}`);
    });
    expect(problems).toEqual([]);
    expect(sent).toBeGreaterThan(400 * share);
  });

  it('survives hostile path segments in every route', async () => {
    const problems: string[] = [];
    const raw = [
      '%',
      '%zz',
      '%C0%AF',
      '%ED%A0%80',
      '%00',
      '%2e%2e',
      '%2F',
      '%2f..%2f',
      '%F0%9F%98%80',
      '*',
      ';',
      '+',
      '\\',
      ':id',
    ];
    const tries = routes.flatMap((route, index) => {
      const random = seeded(seed + 1_000 + index);
      const names = [...route.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] as string);
      return names.flatMap((name) => [
        ...raw.filter(() => random() < share / 2).map((value) => ({ route, name, value })),
        ...hostileTexts
          .filter((text) => text.length < 5_000 && text !== '' && random() < share / 8)
          .map((text) => ({ route, name, value: segment(text) })),
      ]);
    });
    await inLanes(tries, async ({ route, name, value }) => {
      const request = requestOf(route, pathOf(route, { ...(await victim(route)), [name]: value }), baseOf(route), 0);
      const reply = await send(request, await tokenFor(route));
      const found = fault(request, reply);
      if (found !== undefined) problems.push(`${operationOf(route)} ${name}: ${found}`);
    });
    expect(problems).toEqual([]);
  });

  it('takes odd refs and paths literally or refuses them, in every repository route', async () => {
    const at = `/projects/${project}`;
    const random = seeded(seed + 2_000);
    const refs = hostileTexts.filter((text) => text.length <= 4_096 && random() < share / 2);
    const problems: string[] = [];
    const { body: before } = await system.api('GET', `${at}/repository/branches?per_page=100`);
    await inLanes(refs, async (ref) => {
      const name = segment(ref);
      const requests: RawRequest[] = [
        `repository/commits?ref_name=${name}`,
        `repository/commits?path=${name}`,
        `repository/tree?ref=${name}`,
        `repository/tree?path=${name}`,
        `repository/compare?from=${name}&to=main`,
        `repository/compare?from=main&to=${name}`,
        `repository/merge_base?refs[]=main&refs[]=${name}`,
        `repository/contributors?ref=${name}`,
        `repository/files/README.md?ref=${name}`,
        `repository/files/README.md/raw?ref=${name}`,
        `repository/branches?search=${name}`,
        `repository/branches?regex=${name}`,
        `repository/tags?search=${name}`,
        `pipelines?ref=${name}`,
        `pipelines/latest?ref=${name}`,
        ...(ref === '' || ref.length > 2_000
          ? []
          : [
              `repository/files/${name}?ref=main`,
              `repository/files/${name}/raw?ref=main`,
              `repository/branches/${name}`,
              `repository/tags/${name}`,
              `repository/commits/${name}`,
              `repository/commits/${name}/diff`,
              `repository/commits/${name}/refs`,
              `repository/blobs/${name}`,
              `repository/blobs/${name}/raw`,
              `protected_branches/${name}`,
            ]),
      ].map((path) => ({ method: 'GET', path: `${at}/${path}` }));
      const write = (path: string, body: unknown): RawRequest => ({
        method: 'POST',
        path: `${at}/${path}`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      requests.push(
        write('repository/branches', { branch: `from-${next()}`, ref }),
        write('repository/tags', { tag_name: `from-${next()}`, ref }),
        write('pipeline', { ref }),
        write('merge_requests', { source_branch: ref, target_branch: 'main', title: 'odd' }),
        write('repository/commits', {
          branch: `c-${next()}`,
          start_branch: 'main',
          commit_message: 'odd',
          actions: [{ action: 'create', file_path: ref, content: 'x' }],
        }),
      );
      for (const request of requests) {
        const reply = await send(request);
        const found = fault(request, reply);
        if (found !== undefined) problems.push(found);
      }
    });
    expect(problems).toEqual([]);
    const { body: after } = await system.api('GET', `${at}/repository/branches?per_page=100`);
    expect(after.length).toBeGreaterThanOrEqual(before.length);
  });

  it('tells a tag from a branch of the same name', async () => {
    const at = `/projects/${other}`;
    const { body: main } = await system.api('GET', `${at}/repository/commits/main`);
    const { body: later } = await system.api('POST', `${at}/repository/commits`, {
      body: {
        branch: 'twin',
        start_branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: 'x', content: 'x' }],
      },
    });
    await post(`${at}/repository/tags`, { tag_name: 'twin', ref: 'main' });
    expect((await system.api('GET', `${at}/repository/branches/twin`)).body.commit.id).toBe(later.id);
    expect((await system.api('GET', `${at}/repository/tags/twin`)).body.commit.id).toBe(main.id);
    const request = await post(`${at}/merge_requests`, { source_branch: 'twin', target_branch: 'main', title: 'twin' });
    expect(request.sha).toBe(later.id);
    expect((await system.api('DELETE', `${at}/repository/tags/twin`)).status).toBe(204);
    expect((await system.api('GET', `${at}/repository/branches/twin`)).status).toBe(200);
  });

  it('lets one of twenty identical creates through', async () => {
    const at = `/projects/${project}`;
    await post(`${at}/repository/commits`, {
      branch: 'twins',
      start_branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'create', file_path: `twins-${next()}`, content: 'x' }],
    });
    const creates: [string, unknown, number[]][] = [
      ['/users', { name: 'Twin', username: 'twin', email: 'twin@example.com', force_random_password: true }, [409]],
      ['/groups', { name: 'Twin', path: 'twin-group' }, [400]],
      ['/projects', { name: 'Twin', path: 'twin', namespace_id: group, initialize_with_readme: true }, [400]],
      [`${at}/labels`, { name: 'twin', color: '#123456' }, [409]],
      [`/groups/${group}/labels`, { name: 'twin', color: '#123456' }, [409]],
      [`${at}/milestones`, { title: 'twin' }, [400]],
      [`${at}/repository/branches`, { branch: 'twin', ref: 'main' }, [400]],
      [`${at}/repository/tags`, { tag_name: 'twin', ref: 'main' }, [400]],
      [`${at}/protected_branches`, { name: 'twin' }, [409]],
      [`${at}/merge_requests`, { source_branch: 'twins', target_branch: 'main', title: 'twin' }, [409]],
      [`/projects/${other}/members`, { user_id: ada, access_level: 30 }, [409]],
      [`${at}/repository/files/twin.txt`, { branch: 'twins', content: 'x', commit_message: 'x' }, [400]],
    ];
    for (const [path, body, refusals] of creates) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => json('POST', path, body)));
      const statuses = replies.map(({ status }) => status).sort();
      const refused = statuses.filter((status) => refusals.includes(status));
      expect({
        path,
        created: statuses.filter((status) => status === 201).length,
        refused: refused.length,
        statuses: [...new Set(statuses)],
        text: replies.find(({ status }) => status !== 201)?.text,
      }).toEqual({ path, created: 1, refused: 19, statuses: [201, ...refusals].sort(), text: expect.any(String) });
    }
    const different = await Promise.all(
      Array.from({ length: 20 }, (_, index) => json('POST', `${at}/milestones`, { title: `dense ${index}` })),
    );
    const iids = different.map((reply) => bodyOf(reply).iid as number).sort((a, b) => a - b);
    expect(iids).toEqual(iids.map((_, index) => (iids[0] as number) + index));
  });

  it('lists a hundred merge requests with the longest descriptions', async () => {
    const at = `/projects/${other}`;
    const text = 'd'.repeat(1_048_576);
    const branches = Array.from({ length: 10 }, (_, index) => index);
    for (const index of branches) {
      await post(`${at}/repository/branches`, { branch: `target-${index}`, ref: 'main' });
      await post(`${at}/repository/commits`, {
        branch: `source-${index}`,
        start_branch: 'main',
        commit_message: 'x',
        actions: [{ action: 'create', file_path: `s${index}`, content: 'x' }],
      });
    }
    await inLanes(
      branches,
      async (index) => {
        await json('POST', `${at}/merge_requests`, {
          source_branch: `source-${index}`,
          target_branch: `target-${index}`,
          title: `${index} into ${index}`,
          ...(index === 0 ? { description: text } : {}),
        }).then((reply) => expect(reply.status).toBe(201));
      },
      4,
    );
    // The list is what is tried here: ninety more requests, of a megabyte each, would only take their time.
    await system.query(
      'merge_requests',
      `insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, source_sha, target_sha)
        select 1000 + row_number() over (), one.project_id, one.source_project_id, one.source_branch, other.target_branch, one.author_id,
          one.source_branch || ' into ' || other.target_branch, one.source_sha, other.target_sha
        from merge_requests one, merge_requests other
        where one.project_id = ${other} and other.project_id = ${other} and one.id <> other.id
          and one.target_branch like 'target-%' and other.target_branch like 'target-%'`,
    );
    await system.query(
      'merge_requests',
      `update merge_requests set description = repeat('d', 1048576) where target_branch like 'target-%' and description is null`,
    );
    const reply = await send({ method: 'GET', path: `${at}/merge_requests?per_page=100` });
    expect(reply.status).toBe(200);
    const rows = bodyOf(reply) as { iid: number; description: string; title: string }[];
    expect(rows.filter(({ description }) => description === text)).toHaveLength(100);
    expect(new Set(rows.map(({ iid }) => iid)).size).toBe(rows.length);
    const body = { source_branch: 'source-0', target_branch: 'main', title: 'x', description: `${text}d` };
    const refused = await json('POST', `${at}/merge_requests`, body);
    expect([refused.status, refused.text]).toEqual([
      400,
      '{"message":{"description":["is too long (maximum is 1048576 characters)"]}}',
    ]);
    const updated = await json('PUT', `${at}/merge_requests/1`, { description: `${text}d` });
    expect([updated.status, updated.text]).toEqual([400, refused.text]);
  });

  it('refuses hostile bodies at once', async () => {
    const path = `/projects/${project}/labels`;
    const type = { 'Content-Type': 'application/json' };
    const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const refusals: [string, RawRequest, number][] = [
      ['malformed JSON', { method: 'POST', path, headers: type, body: '{"name":' }, 400],
      ['a bare array', { method: 'POST', path, headers: type, body: '[1]' }, 400],
      ['a bare number', { method: 'POST', path, headers: type, body: '1e999' }, 400],
      ['depth 33', { method: 'POST', path, headers: type, body: deep(33) }, 400],
      ['depth 1,000,000', { method: 'POST', path, headers: type, body: deep(800_000) }, 400],
      ['__proto__', { method: 'POST', path, headers: type, body: '{"__proto__":{"admin":true}}' }, 400],
      ['constructor', { method: 'POST', path, headers: type, body: '{"a":{"constructor":1}}' }, 400],
      ['__proto__ in brackets', { method: 'GET', path: `${path}?__proto__[x]=1` }, 400],
      ['encoded __proto__', { method: 'GET', path: `${path}?a[%5F%5Fproto%5F%5F]=1` }, 400],
      [
        '10,000 keys',
        {
          method: 'POST',
          path,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: Array.from({ length: 10_000 }, (_, index) => `a[${index}]=1`).join('&'),
        },
        400,
      ],
      ['brackets 40 deep', { method: 'GET', path: `${path}?a${'[b]'.repeat(40)}=1` }, 400],
      ['XML', { method: 'POST', path, headers: { 'Content-Type': 'text/xml' }, body: '<a/>' }, 415],
      ['no type', { method: 'POST', path, headers: {}, body: 'x' }, 415],
      ['6 MiB', { method: 'POST', path, headers: type, body: `{"name":"${'x'.repeat(6 << 20)}"}` }, 413],
      [
        '6 MiB multipart',
        {
          method: 'POST',
          path,
          headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
          body: `--line\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(6 << 20)}\r\n--line--\r\n`,
        },
        413,
      ],
      [
        'a file that breaks off',
        {
          method: 'POST',
          path,
          headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
          body: '--line\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\nx',
        },
        400,
      ],
      [
        'multipart without end',
        {
          method: 'POST',
          path,
          headers: { 'Content-Type': 'multipart/form-data; boundary=line' },
          body: '--line\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
        },
        400,
      ],
      [
        'multipart without boundary',
        { method: 'POST', path, headers: { 'Content-Type': 'multipart/form-data' }, body: 'x' },
        400,
      ],
      [
        'unknown encoding',
        { method: 'POST', path, headers: { ...type, 'Content-Encoding': 'zstd-of-mine' }, body: 'x' },
        415,
      ],
      ['a broken gzip', { method: 'POST', path, headers: { ...type, 'Content-Encoding': 'gzip' }, body: 'xxxx' }, 400],
    ];
    const problems: string[] = [];
    for (const [name, request, status] of refusals) {
      const reply = await send(request);
      const found = fault(request, reply);
      if (found !== undefined) problems.push(`${name}: ${found}`);
      if (reply.status !== status || reply.took > slowestMs) problems.push(`${name}: ${reply.status} ${reply.text}`);
    }
    expect(problems).toEqual([]);
  });

  it('serves others while slow clients trickle', async () => {
    const { hostname, port } = new URL(system.url);
    const sockets = Array.from({ length: 50 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(
        `POST /api/v4/projects/${project}/labels HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${system.rootToken}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      );
      return socket;
    });
    const reply = await send({ method: 'GET', path: `/projects/${project}` });
    expect(reply.status).toBe(200);
    expect(reply.took).toBeLessThan(slowestMs);
    for (const socket of sockets) socket.destroy();
  });

  it('leaves whole repositories and nothing half-made', async () => {
    expect((await send({ method: 'GET', path: `/projects/${project}` })).status).toBe(200);
    const { status, text } = await send({ method: 'GET', path: '/projects?per_page=100&simple=true' });
    expect(status).toBe(200);
    const failed: string[] = [];
    await inLanes(bodyOf({ text } as RawReply) as { id: number }[], async ({ id }) => {
      const reply = await send({ method: 'GET', path: `/projects/${id}/repository/branches` });
      if (reply.status !== 200) failed.push(`${id}: ${reply.status} ${reply.text}`);
    });
    expect(failed).toEqual([]);
  });
});
