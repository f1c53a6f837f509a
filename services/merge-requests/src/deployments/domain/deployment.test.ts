import { AppError } from '@switchyard/errors';
import { type DeploymentStatus, decideStatus, hasEnded } from './deployment';

const statuses: readonly DeploymentStatus[] = ['created', 'running', 'success', 'failed', 'canceled'];

test.each(statuses)('what follows %p', (from) => {
  const outcome = (to: DeploymentStatus) => {
    try {
      return decideStatus(from, to);
    } catch (error) {
      return (error as AppError).status;
    }
  };
  const wanted: Record<DeploymentStatus, unknown[]> = {
    created: [false, true, true, true, true],
    running: [400, false, true, true, true],
    success: [400, 400, false, 400, 400],
    failed: [400, 400, 400, false, 400],
    canceled: [400, 400, 400, 400, false],
  };
  expect(statuses.map(outcome)).toEqual(wanted[from]);
  expect(hasEnded(from)).toBe(!['created', 'running'].includes(from));
});

test('a refusal names the transition', () => {
  expect(() => decideStatus('success', 'running')).toThrow(
    expect.objectContaining({ body: { message: { status: ['cannot transition via "run"'] } } }),
  );
  expect(new AppError('invalid').status).toBe(400);
});
