import { fixedOrder, page, pageOfLongRows, pageOfRenderedRows } from './representation';

const cut = { keyset: false, page: 1, perPage: 20, hasNext: false };

it.each([[[]], [['a']], [[{ a: 1 }, 'ü'.repeat(700_000), 'x'.repeat(3_000_000), null, '"']]])(
  'a page of long rows is the same as any page',
  async (rows) => {
    expect((await pageOfLongRows(rows, cut)).json.equals(page(rows, cut).json)).toBe(true);
    const rendered = rows.map((row) => Buffer.from(JSON.stringify(row)));
    expect((await pageOfRenderedRows(rendered, cut)).json.equals(page(rows, cut).json)).toBe(true);
  },
);

it('others go on while a page of long rows is rendered', async () => {
  let turns = 0;
  const other = setInterval(() => {
    turns += 1;
  }, 0);
  await pageOfLongRows(
    Array.from({ length: 50 }, () => '\u0001'.repeat(300_000)),
    cut,
  );
  clearInterval(other);
  expect(turns).toBeGreaterThan(5);
});

test('a list with one order takes no other', () => {
  const wire = { keyset: true, page: 2, perPage: 5, cursor: 'c', orderBy: 'name', descending: true };
  expect(fixedOrder(wire, 'id', 'asc')).toEqual({
    mode: 'keyset',
    page: 2,
    perPage: 5,
    cursor: 'c',
    orderBy: 'id',
    sort: 'asc',
  });
  expect(fixedOrder(undefined, 'id', 'desc')).toMatchObject({ mode: 'offset', orderBy: 'id', sort: 'desc' });
});
