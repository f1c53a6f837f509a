import { linkTypeFor, type RelatedLinkType, storedLink } from './related-epic';

it.each<[RelatedLinkType, RelatedLinkType]>([
  ['relates_to', 'relates_to'],
  ['blocks', 'is_blocked_by'],
  ['is_blocked_by', 'blocks'],
])('a link %s is %s from the other side (gaps §4.18)', (type, reverse) => {
  const link = { id: 1, createdAt: new Date(0), updatedAt: new Date(0), ...storedLink(7, 9, type) };
  expect(linkTypeFor(7, link)).toBe(type);
  expect(linkTypeFor(9, link)).toBe(reverse);
});
