import { cursorOf, merged, type Placed, placeBehind, placeOf } from './merged-page';

const entry = (part: Placed['part'], id: number, second: number): Placed => ({
  part,
  id,
  at: new Date(second * 1_000),
});

it('pages of two parts show each entry once, in one order, also where many are of one time', () => {
  const own = [9, 8, 7, 3, 2, 1].map((id) => entry('own', id, id > 6 ? 20 : 10));
  const sent = [6, 5, 4, 3, 2, 1].map((id) => entry('sent', id, id > 5 ? 30 : 10));
  const whole = merged(own, sent);
  const before = (part: readonly Placed[], at: { at: Date; id: number } | undefined) =>
    part.filter(
      (one) => at === undefined || one.at < at.at || (one.at.getTime() === at.at.getTime() && one.id < at.id),
    );
  for (const size of [1, 2, 3, 5, 12]) {
    const seen: Placed[] = [];
    let place = placeOf(undefined);
    for (let page = 0; page < 20; page++) {
      const next = merged(
        before(own, place && { at: place.at, id: place.own }).slice(0, size),
        before(sent, place && { at: place.at, id: place.sent }).slice(0, size),
      ).slice(0, size);
      if (next.length === 0) break;
      seen.push(...next);
      place = placeOf(cursorOf(placeBehind(next, place)!));
    }
    expect([size, seen]).toEqual([size, whole]);
  }
});

it.each([
  '',
  'x',
  'W10',
  Buffer.from('[1,2,"x"]').toString('base64url'),
  Buffer.from('[9e15,2,3]').toString('base64url'),
])('refuses the cursor %j', (cursor) => expect(() => placeOf(cursor)).toThrow('cursor is invalid'));
