import { outcomeOf, pipelineAction, refName } from './pipeline-outcome';

test.each([
  ['failed', undefined, 'failed_pipeline'],
  ['failed', 'failed', 'failed_pipeline'],
  ['success', 'failed', 'fixed_pipeline'],
  ['success', 'success', 'success_pipeline'],
  ['success', undefined, 'success_pipeline'],
] as const)('a pipeline that ends with %s after %s is %s (G-4.11-3)', (outcome, previous, action) =>
  expect(pipelineAction(outcome, previous)).toBe(action),
);

test('only an end counts, and refs of merge requests are named by their number', () => {
  expect(['running', 'canceled', 'skipped', 'success', 'failed'].map(outcomeOf)).toEqual([
    undefined,
    undefined,
    undefined,
    'success',
    'failed',
  ]);
  expect(['refs/merge-requests/7/train', 'main', 'x/refs/merge-requests/7/head'].map(refName)).toEqual([
    '!7',
    'main',
    'x/refs/merge-requests/7/head',
  ]);
});
