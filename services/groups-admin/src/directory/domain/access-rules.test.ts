import { closedFeatures } from './access-rules';

const none = {
  repository: false,
  mergeRequests: false,
  issues: false,
  monitor: false,
  snippets: false,
  packages: false,
  mergeRequestsDisabled: false,
};
const all = { ...none, repository: true, mergeRequests: true };
const requests = { ...none, mergeRequests: true };
const open = {
  repository: 'enabled',
  mergeRequests: 'enabled',
  issues: 'enabled',
  monitor: 'enabled',
  snippets: 'enabled',
  packages: 'enabled',
};

describe('features of a project', () => {
  it.each([
    ['enabled', 'enabled', 0, false, undefined],
    ['private', 'enabled', 0, false, all],
    ['private', 'enabled', 10, false, undefined],
    ['private', 'enabled', 0, true, undefined],
    ['disabled', 'enabled', 50, true, all],
    ['enabled', 'private', 0, false, requests],
    ['enabled', 'private', 10, false, requests],
    ['enabled', 'private', 20, false, undefined],
    ['enabled', 'private', 0, true, undefined],
    ['enabled', 'disabled', 0, false, { ...none, mergeRequestsDisabled: true }],
    ['enabled', 'disabled', 50, true, { ...none, mergeRequestsDisabled: true }],
    ['private', 'disabled', 0, false, { ...all, mergeRequestsDisabled: true }],
  ])(
    'repository %s, merge requests %s, level %s, administrator %s',
    (repository, mergeRequests, level, admin, closed) =>
      expect(closedFeatures({ ...open, repository, mergeRequests }, { level, admin })).toEqual(closed),
  );

  it.each([
    ['enabled', 0, false, false],
    ['private', 0, false, true],
    ['private', 10, false, false],
    ['private', 0, true, false],
    ['disabled', 0, false, false],
  ])('issues %s, level %s, administrator %s', (issues, level, admin, closed) =>
    expect(closedFeatures({ ...open, issues }, { level, admin })?.issues ?? false).toBe(closed),
  );

  it.each([
    ['enabled', 0, false, false],
    ['private', 0, false, true],
    ['private', 10, false, false],
    ['private', 0, true, false],
    ['disabled', 50, false, true],
    ['disabled', 50, true, true],
    ['public', 0, false, false],
  ])('monitor, snippets or packages %s, level %s, administrator %s', (feature, level, admin, closed) => {
    expect(closedFeatures({ ...open, monitor: feature }, { level, admin })?.monitor ?? false).toBe(closed);
    expect(closedFeatures({ ...open, snippets: feature }, { level, admin })?.snippets ?? false).toBe(closed);
    expect(closedFeatures({ ...open, packages: feature }, { level, admin })?.packages ?? false).toBe(closed);
  });
});
