import { raw, sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { replyValidator } from '../../../gateway/test/support/reply-validator';
import { type Harness, type Person, people, type TestProject } from './repository-harness';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
export type Body = any;

/** Settings of a project that these tests vary, by column of the local directory. */
export interface ProjectSettings {
  readonly merge_method?: 'merge' | 'ff' | 'rebase_merge';
  readonly suggestion_commit_message?: string;
  readonly squash_option?: 'never' | 'always' | 'default_on' | 'default_off';
  readonly only_allow_merge_if_pipeline_succeeds?: boolean;
  readonly merge_trains_enabled?: boolean;
  readonly merge_trains_skip_train_allowed?: boolean;
  readonly merge_train_required_statuses?: readonly string[];
  readonly merge_train_timeout?: number;
  readonly merge_train_parallel_cars?: number;
  readonly merge_train_retries?: number;
  readonly merge_train_batch_size?: number;
  readonly merge_train_required_status_count?: number;
  readonly merge_train_settling_seconds?: number;
  readonly approvals_before_merge?: number;
  readonly merge_requests_author_approval?: boolean;
  readonly merge_requests_disable_committers_approval?: boolean;
  readonly reset_approvals_on_push?: boolean;
  readonly disable_overriding_approvers_per_merge_request?: boolean;
}

/** Path of a project, or of something in it. */
export const at = (project: TestProject, path = ''): string => `/projects/${project.id}${path}`;

/** Path of a merge request, or of something in it. */
export const mr = (project: TestProject, iid: number, path = ''): string =>
  at(project, `/merge_requests/${iid}${path}`);

/** What tests of merge requests do again and again, on the harness that is there when they do it. */
export function mergeRequestSteps(harness: () => Harness) {
  const valid = replyValidator();

  /** A request of the API, whose reply keeps to its contract. */
  async function api(person: Person | undefined, method: string, path: string, body?: unknown) {
    const reply = await harness().api(person, method, path, body);
    expect(valid(method, path, reply.status, reply.body)).toEqual([]);
    return reply as Omit<typeof reply, 'body'> & { body: Body };
  }

  /** Makes the people members: Owner, Maintainer, Developer, Reporter, Guest. */
  const addMembers = () =>
    harness().db.query(sql`
      insert into directory.memberships (id, user_id, namespace_id, access_level)
      values (1, 1, 1, 50), (2, 2, 1, 40), (3, 3, 1, 30), (4, 4, 1, 20), (6, 6, 1, 10)`);

  async function configure(project: TestProject, settings: ProjectSettings): Promise<void> {
    for (const [column, value] of Object.entries(settings)) {
      await harness().db.query(sql`update directory.projects set ${raw(column)} = ${value} where id = ${project.id}`);
    }
  }

  async function commit(
    project: TestProject,
    branch: string,
    files: Record<string, string>,
    options: { start?: string; message?: string; by?: Person } = {},
  ): Promise<string> {
    const reply = await api(options.by ?? people.maintainer, 'POST', at(project, '/repository/commits'), {
      branch,
      ...(options.start === undefined ? {} : { start_branch: options.start }),
      commit_message: options.message ?? `Change ${Object.keys(files).join(', ')}`,
      actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
    });
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body.id;
  }

  /** A project with a base commit and whatever the test needs. */
  async function newProject(settings: ProjectSettings = {}): Promise<TestProject> {
    const project = await harness().project();
    await configure(project, settings);
    await commit(project, 'main', { 'README.md': 'base\n' });
    return project;
  }

  async function open(
    project: TestProject,
    source: string,
    more: object = {},
    by: Person = people.developer,
  ): Promise<Body> {
    const reply = await api(by, 'POST', at(project, '/merge_requests'), {
      source_branch: source,
      target_branch: 'main',
      title: `Merge ${source}`,
      ...more,
    });
    if (reply.status !== 201) throw new Error(reply.text);
    return reply.body;
  }

  /** Kinds of the facts published of a merge request, in their order. */
  async function events(mergeRequestId: number): Promise<string[]> {
    const rows = await harness().db.query<{ body: Body }>(
      sql`select body from events.outbox where type = 'merge_request.changed' order by id`,
    );
    return rows
      .map(({ body }) => body)
      .filter((body) => Number(body.mergeRequest.id) === mergeRequestId)
      .map(
        (body) =>
          Object.keys(body).find((key) =>
            /^(created|updated|closed|reopened|merged|deleted|became|pipeline|acted)/.test(key),
          ) ?? '',
      );
  }

  return {
    api,
    events,
    addMembers,
    configure,
    commit,
    newProject,
    open,

    /** Waits until a merge request was checked. */
    checked: (project: TestProject, iid: number, status = 'can_be_merged'): Promise<Body> =>
      eventually(async () => {
        const { body } = await api(people.developer, 'GET', mr(project, iid));
        expect(body.merge_status).toBe(status);
        return body;
      }),

    /** Commit of a branch; undefined without one. */
    async head(project: TestProject, branch: string): Promise<string | undefined> {
      const path = at(project, `/repository/branches/${encodeURIComponent(branch)}`);
      const reply = await api(people.developer, 'GET', path);
      return reply.status === 200 ? reply.body.commit.id : undefined;
    },

    /** Reports a commit status. */
    status: (project: TestProject, sha: string, body: object, by: Person = people.developer) =>
      api(by, 'POST', at(project, `/statuses/${sha}`), body),
  };
}
