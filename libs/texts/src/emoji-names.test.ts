import { emojiName, isEmoji } from './emoji-names';

it.each([
  'thumbsup',
  'tada',
  'de',
  'flag_de',
  'flag_ac',
  'thumbsup_tone2',
  'wave_tone5',
  'man_farmer_tone1',
  '+1_tone3',
])('%s is an emoji', (name) => expect(isEmoji(emojiName(name))).toBe(true));

it.each([
  'flag_zz',
  'flag_germany',
  'flag_',
  'tada_tone1',
  'flag_de_tone1',
  'thumbsup_tone0',
  'thumbsup_tone6',
  'thumbsup_tone2_tone2',
  '_tone1',
  'constructor',
])('%s is none', (name) => expect(isEmoji(emojiName(name))).toBe(false));

it('spells a name in one way, whatever its skin', () =>
  expect(['+1', '+1_tone2', '-1_tone5', 'wave_tone1', '+1_tone6'].map(emojiName)).toEqual([
    'thumbsup',
    'thumbsup_tone2',
    'thumbsdown_tone5',
    'wave_tone1',
    '+1_tone6',
  ]));
