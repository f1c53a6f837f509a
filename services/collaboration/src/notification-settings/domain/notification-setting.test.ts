import { addressFor, effectiveSetting, type StoredSetting } from './effective-setting';
import { defaultSetting, flagsOf, isOn } from './notification-setting';
import { changeSetting } from './setting-change';

const everywhere = { projectId: 0, groupId: 0 };
const inGroup = (groupId: number) => ({ projectId: 0, groupId });
const inProject = (projectId: number) => ({ projectId, groupId: 0 });

const row = (place: { projectId: number; groupId: number }, given: Partial<StoredSetting>): StoredSetting => ({
  userId: 7,
  ...place,
  ...defaultSetting(place),
  ...given,
});

describe('the level that holds in a project (G-4.11-1)', () => {
  const place = { projectId: 5, groupIds: [1, 2] };
  it.each<[string, StoredSetting[], string, string]>([
    ['no settings', [], 'participating', 'default'],
    ['everywhere', [row(everywhere, { level: 'mention' })], 'mention', 'global'],
    ['the group above', [row(everywhere, { level: 'mention' }), row(inGroup(1), { level: 'watch' })], 'watch', 'group'],
    [
      'the nearest group',
      [row(inGroup(1), { level: 'watch' }), row(inGroup(2), { level: 'disabled' })],
      'disabled',
      'group',
    ],
    [
      'a group that leaves it to those above',
      [row(inGroup(1), { level: 'watch' }), row(inGroup(2), {})],
      'watch',
      'group',
    ],
    ['the project', [row(inGroup(2), { level: 'watch' }), row(inProject(5), { level: 'custom' })], 'custom', 'project'],
    [
      'another project or group',
      [row(inProject(6), { level: 'watch' }), row(inGroup(9), { level: 'watch' })],
      'participating',
      'default',
    ],
  ])('%s', (_name, rows, level, from) => {
    expect(effectiveSetting(rows, place)).toMatchObject({ level, from });
  });

  it('reads flags where the level comes from, and the address from the nearest group that has one', () => {
    const rows = [
      row(everywhere, { email: 'all@x.example', events: { new_note: true }, digest: 'daily' }),
      row(inGroup(1), { level: 'custom', events: { new_issue: true }, email: 'one@x.example' }),
      row(inGroup(2), {}),
    ];
    const setting = effectiveSetting(rows, place);
    expect(setting).toMatchObject({ level: 'custom', groupId: 1, email: 'one@x.example', digest: 'daily' });
    expect(['new_issue', 'new_note', 'failed_pipeline'].map((flag) => setting.isOn(flag as 'new_issue'))).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe('a change of settings (G-4.11-2)', () => {
  const confirmed = ['Ada@x.example'];
  const change = (given: Parameters<typeof changeSetting>[1], place = everywhere) =>
    changeSetting(defaultSetting(place), given, { place, confirmed });

  it.each([
    ['foo', everywhere],
    ['global', everywhere],
    ['', inProject(5)],
  ])('refuses the level %j', (level, place) => {
    expect(() => change({ level, events: {} }, place)).toThrow(`'${level}' is not a valid level`);
  });

  it('takes a confirmed address as it was confirmed, and no other', () => {
    expect(change({ email: 'ada@X.example', events: {} }).email).toBe('Ada@x.example');
    expect(change({ email: '', events: {} }).email).toBeUndefined();
    expect(() => change({ email: 'eve@x.example', events: {} })).toThrow('must be an email you have verified');
  });

  it('keeps what was not sent', () => {
    const stored = { ...defaultSetting(everywhere), events: { new_note: true }, digest: 'daily' as const };
    expect(
      changeSetting(stored, { level: 'watch', events: { new_issue: false } }, { place: everywhere, confirmed }),
    ).toEqual({ ...stored, level: 'watch', events: { new_note: true, new_issue: false } });
  });
});

it('has flags by place and tier (G-4.11-3)', () => {
  expect(flagsOf(inProject(5), 'ultimate')).not.toContain('new_epic');
  expect(flagsOf(inProject(5), 'free')).toContain('approver');
  expect(flagsOf(inGroup(5), 'ultimate')).toContain('new_epic');
  expect(flagsOf(inGroup(5), 'ultimate')).not.toContain('approver');
  expect(flagsOf(everywhere, 'premium')).not.toContain('new_epic');
  expect([isOn({}, 'fixed_pipeline'), isOn({ fixed_pipeline: false }, 'fixed_pipeline'), isOn({}, 'new_note')]).toEqual(
    [true, false, false],
  );
});

it.each([
  ['group@x.example', 'group@x.example'],
  ['GROUP@x.example', 'group@x.example'],
  ['gone@x.example', 'first@x.example'],
  [undefined, 'first@x.example'],
])('mail for a user who chose %j goes to %s (G-4.11-2)', (chosen, expected) => {
  expect(addressFor({ email: 'first@x.example', confirmed: ['first@x.example', 'group@x.example'] }, chosen)).toBe(
    expected,
  );
});
