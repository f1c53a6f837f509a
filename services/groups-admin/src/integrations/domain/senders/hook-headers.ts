import type { SentChange } from './change-body';

const names: Readonly<Record<string, string>> = {
  push: 'Push Hook',
  tag_push: 'Tag Push Hook',
  issue: 'Issue Hook',
  note: 'Note Hook',
  merge_request: 'Merge Request Hook',
  pipeline: 'Pipeline Hook',
  job: 'Job Hook',
  deployment: 'Deployment Hook',
  project: 'Project Hook',
  subgroup: 'Subgroup Hook',
};

/** The headers of a hook body that is sent as it is (G-6-3). */
export const hookHeaders = ({ kind, confidential, key }: SentChange): Record<string, string> => ({
  'X-Gitlab-Event': `${confidential ? 'Confidential ' : ''}${names[kind] ?? 'System Hook'}`,
  'X-Gitlab-Event-UUID': key,
  'Idempotency-Key': key,
});
