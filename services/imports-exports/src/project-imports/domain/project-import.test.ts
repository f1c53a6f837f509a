import { type StandingStage, secondsLeft } from './project-import';

const stage = (given: Partial<StandingStage>): StandingStage => ({
  ...{ name: 'issues', status: 'started', page: 1, fetched: 0, imported: 0, pages: undefined, seconds: 0 },
  ...given,
});

it.each([
  [60, { page: 5, pages: 10, seconds: 40 }],
  [0, { page: 11, pages: 10, seconds: 40 }],
  [undefined, { page: 1, pages: 10, seconds: 40 }],
  [undefined, { page: 5, seconds: 40 }],
  [undefined, { page: 5, pages: 10, seconds: 40, status: 'finished' as const }],
])('estimates %p seconds for %p', (seconds, given) => {
  expect(secondsLeft([stage({ name: 'labels', status: 'finished', pages: 3, page: 4 }), stage(given)])).toBe(seconds);
});
