import { mayCreateProject, type ProjectChange, projectProblems, withinTier } from './project';

const namespace = { kind: 'group', visibility: 'internal', projectCreationLevel: 'developer' } as const;

test.each(['main', 'feature/x', 'ünïcode', 'a.b', 'v1'])('the default branch %p is taken', (branch) => {
  expect(projectProblems({ default_branch: branch }, namespace)).toEqual({});
});

test.each([
  '--upload-pack=x',
  '-x',
  '@{-1}',
  'a..b',
  'a b',
  'a\0b',
  'x.lock',
  'a//b',
  '/a',
  'a/',
  'a~1',
  '.a',
  'a:b',
  'x\x7f',
  'HEAD',
  '@',
  'refs/heads/x',
  'a'.repeat(40),
  'é'.repeat(126),
])('the default branch %p is refused', (branch) => {
  expect(projectProblems({ default_branch: branch }, namespace)).toEqual({ default_branch: ['is invalid'] });
});

test('all problems are reported together', () => {
  const problems = projectProblems(
    { name: '', path: 'tree', description: 'x'.repeat(2_001), visibility: 'public', topics: ['x'.repeat(256)] },
    namespace,
  );
  expect(Object.keys(problems).sort()).toEqual(['description', 'name', 'path', 'topics', 'visibility_level']);
});

test('a path is not the Git address of a wiki (ADR 82)', () => {
  const path = ["cannot end in '.wiki', as the Git addresses of wikis do"];
  expect(projectProblems({ path: 'app.Wiki' }, namespace)).toEqual({ path });
  expect(projectProblems({ path: 'app.wiki.x' }, namespace)).toEqual({});
});

test('topics are texts that people see', () => {
  expect(projectProblems({ topics: ['maths', '\u200b', 'a\u202eb', 'a\nb'] }, namespace)).toEqual({
    topics: ["can't be blank", 'is invalid'],
  });
});

test('settings of merge trains are checked together', () => {
  const problems = projectProblems(
    {
      merge_train_required_statuses: ['build', 'build', ' ', 'x'.repeat(256)],
      merge_train_timeout: 0,
      merge_train_parallel_cars: 101,
      merge_train_retries: 4,
      merge_train_batch_size: 0,
      merge_train_required_status_count: 101,
      merge_train_settling_seconds: 601,
    },
    namespace,
  );
  expect(problems).toEqual({
    merge_train_required_statuses: [
      "can't contain a blank name",
      'contains a name that is too long (maximum is 255 characters)',
      'contains duplicates',
    ],
    merge_train_timeout: ['must be between 1 and 1440'],
    merge_train_parallel_cars: ['must be between 1 and 100'],
    merge_train_retries: ['must be between 0 and 3'],
    merge_train_batch_size: ['must be between 1 and 10'],
    merge_train_required_status_count: ['must be between 0 and 100'],
    merge_train_settling_seconds: ['must be between 0 and 600'],
  });
  const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `check ${at}`);
  expect(projectProblems({ merge_train_required_statuses: names(51) }, namespace)).toEqual({
    merge_train_required_statuses: ['is too long (maximum is 50 entries)'],
  });
});

test.each([
  { merge_train_required_statuses: [], merge_train_timeout: 1, merge_train_parallel_cars: 1 },
  { merge_train_required_statuses: ['🚂'.repeat(255)], merge_train_timeout: 1_440, merge_train_parallel_cars: 100 },
  { merge_train_retries: 0, merge_train_batch_size: 1 },
  { merge_train_retries: 3, merge_train_batch_size: 10 },
  { merge_train_required_status_count: 0, merge_train_settling_seconds: 0 },
  { merge_train_required_status_count: 100, merge_train_settling_seconds: 600 },
])('the ends of what merge trains take: %#', (change) => {
  expect(projectProblems(change, namespace)).toEqual({});
});

test('at most 100 approvals can be required', () => {
  expect(projectProblems({ approvals_before_merge: 100 }, namespace)).toEqual({});
  for (const approvals_before_merge of [-1, 101]) {
    expect(projectProblems({ approvals_before_merge }, namespace)).toEqual({
      approvals_before_merge: ['must be between 0 and 100'],
    });
  }
});

test('the free tier ignores what is licensed, wrong or not', () => {
  const change: ProjectChange = {
    name: 'Engine',
    approvals_before_merge: 101,
    merge_requests_author_approval: true,
    merge_requests_disable_committers_approval: true,
    reset_approvals_on_push: false,
    disable_overriding_approvers_per_merge_request: true,
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    merge_trains_skip_train_allowed: true,
    merge_train_required_statuses: ['', ''],
    merge_train_timeout: -1,
    merge_train_parallel_cars: 0,
    merge_train_retries: -1,
    merge_train_batch_size: 11,
    merge_train_required_status_count: -1,
    merge_train_settling_seconds: -1,
  };
  expect(withinTier(change, 'free')).toEqual({ name: 'Engine' });
  expect(withinTier(change, 'premium')).toBe(change);
});

test('the namespace of a user does not narrow what is in it', () => {
  expect(projectProblems({ visibility: 'public' }, { ...namespace, kind: 'user', visibility: 'private' })).toEqual({});
});

test.each([
  ['noone', false, false],
  ['administrator', false, true],
  ['owner', true, true],
])('where %s makes projects, an Owner may: %p, an administrator: %p (G-2-33)', (rule, owner, administrator) => {
  const may = (actor: { admin: boolean; level: number }) => {
    try {
      mayCreateProject(actor, { ...namespace, projectCreationLevel: rule });
      return true;
    } catch {
      return false;
    }
  };
  expect(may({ admin: false, level: 50 })).toBe(owner);
  expect(may({ admin: true, level: 0 })).toBe(administrator);
});
