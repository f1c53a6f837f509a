import {
  type CommitStatusState,
  isInProgress,
  type PipelineStatus,
  pipelineStatusOf,
  pipelineTimes,
  transitionOf,
} from './pipeline-status';

const names = (...states: CommitStatusState[]) => states.map((status) => ({ status, allowFailure: false }));

test.each<[PipelineStatus | undefined, CommitStatusState[]]>([
  [undefined, []],
  ['created', ['created']],
  ['pending', ['pending']],
  ['pending', ['created', 'pending']],
  ['pending', ['skipped', 'pending']],
  ['running', ['running']],
  ['running', ['running', 'pending']],
  ['running', ['success', 'pending']],
  ['running', ['failed', 'pending']],
  ['running', ['success', 'created']],
  ['success', ['success']],
  ['success', ['success', 'skipped']],
  ['skipped', ['skipped', 'skipped']],
  ['failed', ['failed', 'success']],
  ['failed', ['failed', 'canceled']],
  ['canceled', ['canceled', 'success']],
])('a pipeline is %s with %j', (status, states) => {
  expect(pipelineStatusOf(names(...states))).toBe(status);
});

test('a failure that is allowed counts as a success', () => {
  expect(pipelineStatusOf([{ status: 'failed', allowFailure: true }, ...names('success')])).toBe('success');
});

test.each<[CommitStatusState, CommitStatusState, string | undefined]>([
  ['pending', 'pending', 'none'],
  ['success', 'success', 'none'],
  ['created', 'pending', 'update'],
  ['pending', 'running', 'update'],
  ['pending', 'success', 'update'],
  ['running', 'failed', 'update'],
  ['running', 'pending', undefined],
  ['failed', 'pending', 'renew'],
  ['success', 'failed', 'renew'],
  ['canceled', 'running', 'renew'],
])('from %s to %s: %s', (from, to, transition) => {
  expect(transitionOf(from, to)).toBe(transition);
});

test('manual waits for a person', () => {
  expect((['created', 'running', 'manual', 'success'] as const).map(isInProgress)).toEqual([true, true, false, false]);
});

describe('times', () => {
  const createdAt = new Date('2024-01-01T00:00:00Z');
  const at = (seconds: number) => new Date(createdAt.getTime() + seconds * 1000);
  const fresh = { createdAt, startedAt: undefined, finishedAt: undefined };

  test('a pipeline that waits has not started', () => {
    expect(pipelineTimes('pending', fresh, at(5))).toEqual({
      startedAt: undefined,
      finishedAt: undefined,
      duration: undefined,
      queuedDuration: undefined,
    });
  });
  test('queued until it starts, then it takes its time', () => {
    const running = pipelineTimes('running', fresh, at(5));
    expect(running).toMatchObject({ startedAt: at(5), finishedAt: undefined, queuedDuration: 5 });
    expect(pipelineTimes('success', { createdAt, ...running }, at(65))).toMatchObject({
      finishedAt: at(65),
      duration: 60,
    });
  });
});
