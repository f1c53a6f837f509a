import type { Change } from '../../changes';

/** Where a webhook is. */
export type PlaceKind = 'project' | 'group' | 'instance';

/** Switches of webhooks by place, as the API names them, with their defaults. */
const common = {
  push_events: true,
  tag_push_events: false,
  issues_events: false,
  confidential_issues_events: false,
  merge_requests_events: false,
  note_events: false,
  confidential_note_events: false,
  pipeline_events: false,
  job_events: false,
  deployment_events: false,
  releases_events: false,
  emoji_events: false,
  milestone_events: false,
  wiki_page_events: false,
  feature_flag_events: false,
  resource_access_token_events: false,
  resource_deploy_token_events: false,
  vulnerability_events: false,
  repository_update_events: false,
  alert_events: false,
};

/** Switches by place, with their defaults. */
export const switchesOf: Record<PlaceKind, Readonly<Record<string, boolean>>> = {
  project: common,
  group: { ...common, member_events: false, subgroup_events: false, project_events: false },
  instance: {
    push_events: false,
    tag_push_events: false,
    merge_requests_events: false,
    repository_update_events: true,
  },
};

interface Kind {
  readonly switch: string;
  /** Of what is confidential, where it differs. */
  readonly confidential?: string;
  /** Value of `X-Gitlab-Event`. */
  readonly header: string;
  readonly confidentialHeader?: string;
  /** Sent to webhooks of the instance without a switch. */
  readonly system?: true;
}

/** What kinds of changes are to webhooks (G-6-3). */
const kinds: Readonly<Record<string, Kind>> = {
  push: { switch: 'push_events', header: 'Push Hook' },
  tag_push: { switch: 'tag_push_events', header: 'Tag Push Hook' },
  issue: {
    switch: 'issues_events',
    confidential: 'confidential_issues_events',
    header: 'Issue Hook',
    confidentialHeader: 'Confidential Issue Hook',
  },
  // A work item of GitLab: hooks have it by the switch of issues, those of groups alone, since no project has it.
  epic: {
    switch: 'issues_events',
    confidential: 'confidential_issues_events',
    header: 'Issue Hook',
    confidentialHeader: 'Confidential Issue Hook',
  },
  note: {
    switch: 'note_events',
    confidential: 'confidential_note_events',
    header: 'Note Hook',
    confidentialHeader: 'Confidential Note Hook',
  },
  merge_request: { switch: 'merge_requests_events', header: 'Merge Request Hook' },
  pipeline: { switch: 'pipeline_events', header: 'Pipeline Hook' },
  job: { switch: 'job_events', header: 'Job Hook' },
  deployment: { switch: 'deployment_events', header: 'Deployment Hook' },
  release: { switch: 'releases_events', header: 'Release Hook' },
  emoji: { switch: 'emoji_events', header: 'Emoji Hook' },
  milestone: { switch: 'milestone_events', header: 'Milestone Hook' },
  alert: { switch: 'alert_events', header: 'Alert Hook' },
  member: { switch: 'member_events', header: 'Member Hook', system: true },
  project: { switch: 'project_events', header: 'Project Hook', system: true },
  subgroup: { switch: 'subgroup_events', header: 'Subgroup Hook', system: true },
  user: { switch: '', header: 'System Hook', system: true },
};

/**
 * The rule by which a change is for webhooks of a place, undefined when it never is: `system_event`, or the switch that
 * must be on.
 */
export function ruleFor(
  place: PlaceKind,
  { kind, confidential }: Pick<Change, 'kind' | 'confidential'>,
): string | undefined {
  const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (known === undefined) return undefined;
  if (place === 'instance' && known.system === true) return 'system_event';
  const name = confidential ? (known.confidential ?? known.switch) : known.switch;
  // Reactions to what is confidential go to those that get what is confidential.
  const needed = confidential && kind === 'emoji' ? 'confidential_note_events' : name;
  return Object.hasOwn(switchesOf[place], needed) ? needed : undefined;
}

/** The value of `X-Gitlab-Event`. */
export function eventHeader(place: PlaceKind, { kind, confidential }: Pick<Change, 'kind' | 'confidential'>): string {
  const known = kinds[kind];
  if (place === 'instance' || known === undefined) return 'System Hook';
  return confidential ? (known.confidentialHeader ?? known.header) : known.header;
}

/** The kind of change that a test of a switch sends, with whether it is confidential; undefined when nothing is sent. */
export function kindOfSwitch(name: string): Pick<Change, 'kind' | 'confidential'> | undefined {
  for (const [kind, known] of Object.entries(kinds)) {
    if (known.switch === name) return { kind, confidential: false };
    if (known.confidential === name) return { kind, confidential: true };
  }
  return undefined;
}
