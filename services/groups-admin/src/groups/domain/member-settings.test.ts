import { memberSettingsProblems, storedMemberSettings } from './member-settings';

const problemsOf = (list: string | null, isTopLevel = true) =>
  memberSettingsProblems({ allowed_email_domains_list: list }, isTopLevel).allowed_email_domains_list;

const misformatted = ['The domain you entered is misformatted.'];
const tooLong = ['is too long (maximum is 100 domains)'];

test.each([
  ['a.example', undefined],
  ['a.example, B.example ,a.example', undefined],
  ['', undefined],
  [null, undefined],
  [' , ', undefined],
  [`${'a'.repeat(63)}.example`, undefined],
  [Array.from({ length: 100 }, (_, at) => `d${at}.example`).join(), undefined],
  [Array.from({ length: 101 }, (_, at) => `d${at}.example`).join(), tooLong],
  ['a.example,'.repeat(100_000), tooLong],
  ['a.example\n', misformatted],
  ['a.example\nb.example', misformatted],
  ['a.example\r\n,b.example', misformatted],
  ['localhost', misformatted],
  ['@a.example', misformatted],
  ['*.example', misformatted],
  ['-a.example', misformatted],
  ['a..example', misformatted],
  ['bücher.example', misformatted],
  ['a.example;b.example', misformatted],
  [`${'a'.repeat(64)}.example`, misformatted],
  [`${'a.'.repeat(126)}example`, misformatted],
])('domains %#', (list, problems) => {
  expect(problemsOf(list)).toEqual(problems);
});

test('only a top-level group has a list; every group may have none', () => {
  expect(problemsOf('a.example', false)).toEqual(['only permitted for top-level groups']);
  expect(problemsOf(null, false)).toBeUndefined();
  expect(problemsOf('', false)).toBeUndefined();
});

test('domains are stored in one form, and in the free tier not at all', () => {
  const given = {
    membership_lock: true,
    allowed_email_domains_list: ' B.example,a.example,b.example',
    lfs_enabled: false,
  };
  expect(storedMemberSettings(given, true)).toEqual({
    ...given,
    allowed_email_domains_list: 'b.example,a.example',
  });
  expect(storedMemberSettings({ allowed_email_domains_list: '' }, true)).toEqual({
    allowed_email_domains_list: null,
  });
  expect(storedMemberSettings({}, true)).toEqual({});
  expect(storedMemberSettings(given, false)).toEqual({ lfs_enabled: false });
});
