import { closedFeatures } from './viewing';

const all = { repository: true, mergeRequests: true, issues: false };
const requests = { repository: false, mergeRequests: true, issues: false };

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
    // Their owner says so in words of its own.
    ['enabled', 'disabled', 0, false, undefined],
  ])(
    'repository %s, merge requests %s, level %s, administrator %s',
    (repository, mergeRequests, level, admin, closed) =>
      expect(closedFeatures({ repository, mergeRequests, issues: 'enabled' }, { level, admin })).toEqual(closed),
  );

  it.each([
    ['enabled', 0, false, false],
    ['private', 0, false, true],
    ['private', 10, false, false],
    ['private', 0, true, false],
    ['disabled', 0, false, false],
  ])('issues %s, level %s, administrator %s', (issues, level, admin, closed) =>
    expect(
      closedFeatures({ repository: 'enabled', mergeRequests: 'enabled', issues }, { level, admin })?.issues ?? false,
    ).toBe(closed),
  );
});
