import { z } from '@switchyard/config';
import { recordFields } from '@switchyard/service';
import { parseBoolean } from '@switchyard/texts';
import { type ImportedSettings, problemsOfSettings } from '../domain/import';

const { text, count, body, time, names } = recordFields;
const level = z.enum(['disabled', 'private', 'enabled', 'public']);
const flag = z.boolean();

const settings = {
  description: body.nullable(),
  visibility: z.enum(['private', 'internal', 'public']),
  default_branch: text(255),
  topics: names,
  archived: flag,
  created_at: time,
  merge_method: z.enum(['merge', 'rebase_merge', 'ff']),
  squash_option: z.enum(['never', 'always', 'default_on', 'default_off']),
  only_allow_merge_if_pipeline_succeeds: flag,
  allow_merge_on_skipped_pipeline: flag,
  only_allow_merge_if_all_discussions_are_resolved: flag,
  remove_source_branch_after_merge: flag,
  merge_pipelines_enabled: flag,
  merge_trains_enabled: flag,
  merge_trains_skip_train_allowed: flag,
  merge_commit_template: body.nullable(),
  squash_commit_template: body.nullable(),
  suggestion_commit_message: body.nullable(),
  printing_merge_request_link_enabled: flag,
  resolve_outdated_diff_discussions: flag,
  autoclose_referenced_issues: flag,
  approvals_before_merge: count,
  merge_requests_author_approval: flag,
  merge_requests_disable_committers_approval: flag,
  reset_approvals_on_push: flag,
  disable_overriding_approvers_per_merge_request: flag,
  issues_access_level: level,
  merge_requests_access_level: level,
  repository_access_level: level,
  feature_access_levels: z.record(z.string().regex(/^[a-z_]{1,100}$/), level),
  lfs_enabled: flag,
  request_access_enabled: flag,
  emails_enabled: flag,
  ci_config_path: text(255).nullable(),
  build_timeout: count,
  auto_cancel_pending_pipelines: z.enum(['enabled', 'disabled']),
  merge_train_required_statuses: names,
  merge_train_timeout: count,
  merge_train_parallel_cars: count,
  merge_train_retries: count,
  merge_train_batch_size: count,
  merge_train_required_status_count: count,
  merge_train_settling_seconds: count,
};

/** Settings come last: what no project can have is refused before anything is written. */
const refuseProblems = (given: ImportedSettings, { addIssue }: z.RefinementCtx): void => {
  for (const [field, problems] of Object.entries(problemsOfSettings(given)))
    for (const message of problems) addIssue({ code: 'custom', path: [field], message });
};

/** A picture of the project; what it may be says its owner. Its bytes are text: a project has one, which is small. */
const avatar = z
  .object({ filename: text(255), content: z.base64().max(1 << 20) })
  .nullable()
  .transform((given) =>
    given === null ? undefined : { file: { filename: given.filename, content: Buffer.from(given.content, 'base64') } },
  );

/** A project as an archive has it (ADR 60); what is absent stays as it is. Its name and path are said by who imports. */
export const projectRecord: z.ZodType<ImportedSettings> = z
  .object({ ...settings, avatar })
  .partial()
  .superRefine(refuseProblems);

/** What a value of a form may mean: all of them are texts there. */
function meanings(value: unknown): unknown[] {
  if (Array.isArray(value)) return [value, value.flatMap((one) => String(one).split(','))];
  if (typeof value !== 'string') return [value];
  return [value, parseBoolean(value), ...(/^\d{1,9}$/.test(value) ? [Number(value)] : []), value.split(',')];
}

const ofForm = ([name, form]: [string, z.ZodType]): [string, z.ZodType] => [
  name,
  z.preprocess((value) => meanings(value).find((one) => form.safeParse(one).success) ?? value, form).optional(),
];

const { created_at: _, ...chosen } = settings;

/** Settings that who imports chooses in place of those of the archive, as a form has them; there are no others. */
export const projectOverrides: z.ZodType<ImportedSettings> = z
  .strictObject(Object.fromEntries(Object.entries(chosen).map(ofForm)))
  .superRefine(refuseProblems);
