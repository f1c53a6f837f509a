import { unavailable } from '@switchyard/errors';
import type { CopySource } from '../../git';
import { formerFollower } from './copies';
import { storagesIn } from './storages';

const storages = storagesIn(
  '/nowhere',
  new Map([
    ['default', 1],
    ['second', 1],
    ['third', 1],
  ]),
  new Set(['default', 'second']),
);
const home = (former: string | undefined) => ({ storage: 'default', former });
let listed: string[];
const follower = (answer: () => undefined = () => undefined) =>
  formerFollower(
    {
      at: (storage, projectId, kind): CopySource => ({
        ...({} as CopySource),
        async objectFiles() {
          listed.push(`${storage} ${projectId} ${kind}`);
          return answer();
        },
      }),
    },
    storages,
  );

beforeEach(() => {
  listed = [];
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test('a former copy of this process is followed by each change, and none where there is none', async () => {
  const follow = follower();
  for (const former of ['second', 'second', undefined]) await follow(home(former), 1);
  expect(listed).toEqual(['second 1 code', 'second 1 code']);
});

test('one of another process is followed once a minute, and for what began there at once', async () => {
  const follow = follower();
  const each = async () => {
    await follow(home('third'), 1);
    await follow(home('third'), 1);
    await follow(home('third'), 1, { kind: 'wiki' });
    await follow(home('third'), 2);
  };
  const all = ['third 1 code', 'third 1 wiki', 'third 2 code'];
  await each();
  expect(listed).toEqual(all);
  await follow(home('third'), 1, { beganElsewhere: true });
  expect(listed.splice(0)).toEqual([...all, 'third 1 code']);
  jest.advanceTimersByTime(59_999);
  await each();
  expect(listed).toEqual([]);
  jest.advanceTimersByTime(1);
  await each();
  expect(listed).toEqual(all);
});

test('one that is away keeps no change waiting, and is asked a minute later', async () => {
  const follow = follower(() => {
    throw unavailable(new Error('away'));
  });
  await follow(home('third'), 1);
  await follow(home('third'), 1);
  expect(listed).toEqual(['third 1 code']);
});
