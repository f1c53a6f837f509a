import { checkPushOptions, readPushOptions, titleOfPushed } from './push-options';

test('options about merge requests are read with their short form, lists and lines', () => {
  const { wanted, problems, unknown } = readPushOptions([
    'merge_request.create',
    'mr.target=release/1',
    'merge_request.title=A = B',
    'merge_request.description=One\\nTwo',
    'merge_request.label=bug',
    'merge_request.label=urgent, later',
    'merge_request.unlabel=old',
    'merge_request.assign=@ada',
    'merge_request.unassign=7',
    'merge_request.draft=true',
    'merge_request.remove_source_branch',
    'merge_request.squash',
    'merge_request.milestone=1.0',
    'merge_request.merge_when_pipeline_succeeds',
  ]);
  expect([problems, unknown]).toEqual([[], []]);
  expect(wanted).toEqual({
    create: true,
    target: 'release/1',
    title: 'A = B',
    description: 'One\nTwo',
    label: ['bug', 'urgent, later'],
    unlabel: ['old'],
    assign: ['@ada'],
    unassign: ['7'],
    draft: true,
    removeSourceBranch: true,
    squash: true,
    milestone: '1.0',
    autoMerge: true,
  });
  expect(readPushOptions(['mr.target_project=a/b']).wanted).toMatchObject({ targetProject: 'a/b' });
  expect(readPushOptions(['mr.auto_merge']).wanted).toMatchObject({ autoMerge: true, create: false });
});

test.each([
  [['merge_request.create=no'], "'merge_request.create' takes no value."],
  [['merge_request.title'], "'merge_request.title' needs a value."],
  [['merge_request.label= '], "'merge_request.label' needs a value."],
  [['merge_request.title=a', 'mr.title=b'], "'merge_request.title' is given more than once."],
  [[`merge_request.title=${'é'.repeat(256)}`], "'merge_request.title' is too long (maximum is 255 characters)."],
  [['merge_request.target_project='], "'merge_request.target_project' needs a value."],
  [['merge_request.constructor'], "The push option 'merge_request.constructor' is not supported."],
  [['ci.variable=A=1'], "The push option 'ci.variable=A=1' has no effect here: a push starts no pipeline."],
])('%j are refused', (options, problem) => {
  expect(readPushOptions(options).problems).toEqual([problem]);
  expect(checkPushOptions(options, ['main'])).toMatchObject({ refusals: [problem], branches: [] });
});

test('no pipeline is what a push starts anyway', () => {
  expect(checkPushOptions(['ci.skip'], ['main'])).toEqual({ refusals: [], warnings: [], branches: [] });
});

test('all problems are told at once, and what belongs to others is only named', () => {
  const read = checkPushOptions(['ci.input=a', 'mr.title', 'review=7', 'review=7'], ['main']);
  expect(read.refusals).toHaveLength(2);
  expect(read.warnings).toEqual(["The push option 'review=7' is unknown and has no effect."]);
});

test.each([
  [['a'], ['a'], 0],
  [[], [], 1],
  [Array.from({ length: 10 }, (_, at) => `b${at}`), Array.from({ length: 10 }, (_, at) => `b${at}`), 0],
  [Array.from({ length: 11 }, (_, at) => `b${at}`), [], 1],
])('of the branches %j they are kept for %j', (branches, kept, warnings) => {
  const read = checkPushOptions(['mr.create'], branches);
  expect(read).toMatchObject({ refusals: [], branches: kept });
  expect(read.warnings).toHaveLength(warnings);
});

test.each([
  ['fix-the_login', 'Fix it', 'Fix it'],
  ['fix-the_login', undefined, 'Fix the login'],
  ['a/b', ' ', 'A b'],
  ['--', undefined, '--'],
  ['x', 'y'.repeat(300), 'y'.repeat(255)],
])('the title of %s with the only commit %s is %s', (branch, only, title) => {
  expect(titleOfPushed(branch, only)).toBe(title);
});
