import { type HookProjectRow, hookProject, hookRepository, hookUser } from '@switchyard/directory';

/** Whom and what a sample names. */
export interface SampleFacts {
  readonly user: Parameters<typeof hookUser>[0];
  /** Undefined outside of projects. */
  readonly project: HookProjectRow | undefined;
  /** Undefined outside of groups. */
  readonly group: { readonly id: number; readonly name: string; readonly full_path: string } | undefined;
}

const noCommit = '0'.repeat(40);

/** What the kinds have beside what all bodies have. */
function partsOf(kind: string, confidential: boolean, { user, project, group }: SampleFacts, now: Date): object {
  const at = now.toISOString();
  const branch = project?.default_branch ?? 'main';
  const object = {
    id: 0,
    iid: 0,
    title: 'A test of the webhook',
    description: '',
    state: 'opened',
    action: 'open',
    created_at: at,
    updated_at: at,
  };
  switch (kind) {
    case 'push':
    case 'tag_push':
      return {
        event_name: kind,
        before: noCommit,
        after: noCommit,
        ref: kind === 'push' ? `refs/heads/${branch}` : 'refs/tags/test',
        checkout_sha: null,
        user_id: user.id,
        user_name: user.name,
        user_username: user.username,
        project_id: project?.id ?? 0,
        commits: [],
        total_commits_count: 0,
      };
    case 'issue':
      return { object_attributes: { ...object, confidential }, labels: [], assignees: [], changes: {} };
    case 'merge_request':
      return {
        object_attributes: { ...object, source_branch: 'test', target_branch: branch },
        labels: [],
        assignees: [],
        reviewers: [],
        changes: {},
      };
    case 'note':
      return {
        object_attributes: {
          id: 0,
          note: 'A test of the webhook',
          noteable_type: 'Issue',
          internal: confidential,
          action: 'create',
          created_at: at,
        },
      };
    case 'milestone':
      return {
        object_attributes: {
          ...{ id: 0, iid: 0, title: 'A test of the webhook', description: '', state: 'active' },
          ...{ due_date: null, start_date: null, group_id: group?.id ?? null, project_id: project?.id ?? null },
          created_at: at,
          updated_at: at,
        },
        action: 'create',
      };
    case 'member':
      return {
        event_name: 'user_add_to_group',
        group_id: group?.id ?? 0,
        group_path: group?.full_path ?? '',
        user_id: user.id,
        user_username: user.username,
        group_access: 'Developer',
        created_at: at,
      };
    case 'subgroup':
      return {
        event_name: 'subgroup_create',
        group_id: group?.id ?? 0,
        name: group?.name ?? '',
        full_path: group?.full_path ?? '',
        created_at: at,
      };
    default:
      return {
        event_name: kind,
        object_attributes: { id: 0, status: 'success', ref: branch, action: 'create', created_at: at },
      };
  }
}

/** The body of a test (G-6-4): of the shape of its kind, about nothing that is there. */
export function presentSample(
  kind: string,
  confidential: boolean,
  facts: SampleFacts,
  externalUrl: string,
  now: Date,
): string {
  const { project } = facts;
  const isConfidential = confidential && (kind === 'issue' || kind === 'note');
  return JSON.stringify({
    object_kind: kind === 'job' ? 'build' : kind,
    event_type: isConfidential ? `confidential_${kind}` : kind,
    user: hookUser(facts.user, externalUrl),
    ...(project === undefined
      ? {}
      : { project: hookProject(project, externalUrl), repository: hookRepository(project, externalUrl) }),
    ...partsOf(kind, confidential, facts, now),
    change: null,
  });
}
