import { projectOverrides, projectRecord } from './project.record';

const messages = (form: typeof projectRecord, given: object) =>
  form.safeParse(given).error?.issues.map(({ path, message }) => [...path, message].join(': ')) ?? [];

it('refuses settings that no project can have, all at once', () => {
  const given = { approvals_before_merge: 101, default_branch: 'a..b', merge_train_retries: 2 };
  const problems = ['default_branch: is invalid', 'approvals_before_merge: must be between 0 and 100'];
  expect(messages(projectRecord, given).sort()).toEqual(problems.sort());
  expect(messages(projectOverrides, { ...given, approvals_before_merge: '101' }).sort()).toEqual(problems.sort());
});

it('reads settings as a form writes them', () => {
  expect(projectOverrides.parse({ topics: ['a', 'b'], build_timeout: '3600', archived: 'true' })).toEqual({
    ...{ topics: ['a', 'b'], build_timeout: 3_600, archived: true },
  });
  expect(projectOverrides.parse({ topics: 'a,b' })).toEqual({ topics: ['a', 'b'] });
  // As python-gitlab writes True, and as it would be written by hand (G-1-5).
  expect(projectOverrides.parse({ archived: '1', lfs_enabled: 'Off', build_timeout: '1' })).toEqual({
    ...{ archived: true, lfs_enabled: false, build_timeout: 1 },
  });
  expect(messages(projectOverrides, { archived: 'perhaps' })).toHaveLength(1);
  expect(messages(projectOverrides, { no_such_setting: '1' })).toHaveLength(1);
});
