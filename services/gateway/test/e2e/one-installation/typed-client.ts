import { eventually } from '@switchyard/testkit';
import createClient from 'openapi-fetch';
import type { paths } from '../../../../../deploy/openapi/gen/api';
import type { System } from '../support/system';

/** openapi-fetch does not read the document when it runs, so this sets that arrays are written `a=1,2`. */
const clientOf = (system: System, token = system.rootToken) =>
  createClient<paths>({
    baseUrl: `${system.url}/api/v4`,
    headers: { 'PRIVATE-TOKEN': token },
    querySerializer: { array: { style: 'form', explode: false } },
  });

/** The result of a call that must succeed. */
function ok<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw new Error(`${response.url} ${response.status} ${JSON.stringify(error)}`);
  return data;
}

export const typedClientTests = (started: () => System): void =>
  describe('a client generated from the OpenAPI document', () => {
    let system: System;
    beforeAll(() => {
      system = started();
    });

    it('creates a project and issues, and pages through them', async () => {
      const client = clientOf(system);
      const project = ok(
        await client.POST('/projects', {
          body: { name: 'Typed', visibility: 'private', initialize_with_readme: true },
        }),
      );
      const at = { id: project.id };
      for (const [index, labels] of [['bug'], ['bug', 'ui'], ['ui']].entries()) {
        const issue = ok(
          await client.POST('/projects/{id}/issues', {
            params: { path: at },
            body: { title: `Issue ${index}`, labels, due_date: '2030-01-31' },
          }),
        );
        expect(issue.iid).toBe(index + 1);
        expect(issue.labels).toEqual(labels);
      }
      const list = (page: number) =>
        client.GET('/projects/{id}/issues', {
          params: { path: at, query: { page, per_page: 2, order_by: 'created_at', sort: 'asc', state: 'opened' } },
        });
      const first = await list(1);
      expect(ok(first).map(({ iid }) => iid)).toEqual([1, 2]);
      expect(first.response.headers.get('X-Next-Page')).toBe('2');
      expect(ok(await list(2)).map(({ iid }) => iid)).toEqual([3]);
      const query = { iids: [1, 3], 'not[labels]': ['ui'] };
      const filtered = ok(await client.GET('/projects/{id}/issues', { params: { path: at, query } }));
      expect(filtered.map(({ iid }) => iid)).toEqual([1]);
      const failed = await client.GET('/projects/{id}/issues/{issue_iid}', {
        params: { path: { ...at, issue_iid: 9 } },
      });
      expect([failed.response.status, failed.error]).toEqual([404, { message: '404 Not found' }]);
    });

    it('opens a merge request and merges it from its train', async () => {
      const client = clientOf(system);
      const settings = { merge_pipelines_enabled: true, merge_trains_enabled: true };
      const project = ok(
        await client.POST('/projects', { body: { name: 'Train', initialize_with_readme: true, ...settings } }),
      );
      // A path is as good as an id, and the client encodes it.
      const at = { id: project.path_with_namespace };
      const commit = ok(
        await client.POST('/projects/{id}/repository/commits', {
          params: { path: at },
          body: {
            branch: 'fix-login',
            start_branch: 'main',
            commit_message: 'Repair the login page',
            actions: [{ action: 'create', file_path: 'login.txt', content: 'repaired\n' }],
          },
        }),
      );
      const request = ok(
        await client.POST('/projects/{id}/merge_requests', {
          params: { path: at },
          body: { source_branch: 'fix-login', target_branch: 'main', title: 'Repair the login page' },
        }),
      );
      expect(request.sha).toBe(commit.id);
      const report = async (sha: string, name: string, pipeline_id?: number) =>
        ok(
          await client.POST('/projects/{id}/statuses/{sha}', {
            params: { path: { ...at, sha } },
            body: { state: 'success', name, ...(pipeline_id === undefined ? { ref: 'fix-login' } : { pipeline_id }) },
          }),
        );
      await report(commit.id, 'own');
      const path = { ...at, merge_request_iid: request.iid };
      const added = await client.POST('/projects/{id}/merge_trains/merge_requests/{merge_request_iid}', {
        params: { path },
        body: { sha: commit.id },
      });
      expect([added.response.status, added.error]).toEqual([201, undefined]);
      expect(ok(added).map(({ merge_request }) => merge_request.iid)).toEqual([request.iid]);
      const { id, sha } = await eventually(async () => {
        const [entry] = ok(
          await client.GET('/projects/{id}/merge_trains/{target_branch}', {
            params: { path: { ...at, target_branch: 'main' }, query: { scope: 'active' } },
          }),
        );
        if (entry?.status !== 'fresh' || !entry.pipeline) throw new Error(`not tested yet: ${JSON.stringify(entry)}`);
        return entry.pipeline;
      });
      await report(sha, 'ci', id);
      await eventually(async () =>
        expect(
          ok(await client.GET('/projects/{id}/merge_requests/{merge_request_iid}', { params: { path } })).state,
        ).toBe('merged'),
      );
      const wrong = await client.GET('/projects/{id}/merge_trains/{target_branch}', {
        // @ts-expect-error what the document does not know, the compiler refuses
        params: { path: { ...at, target_branch: 'main' }, query: { scope: 'finished' } },
      });
      expect(wrong.response.status).toBe(400);
    });
  });
