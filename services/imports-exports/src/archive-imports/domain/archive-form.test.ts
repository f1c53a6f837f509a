import { readForm } from './archive-form';

it('reads a list of settings with all that was sent', () => {
  const fields = new Map([
    ['path', 'moved'],
    ['override_params[topics][]', 'a,b'],
    ['override_params[description]', 'c, d'],
  ]);
  expect(readForm(fields).overrides).toEqual({ topics: ['a', 'b'], description: 'c, d' });
});

it.each([
  ['False', undefined],
  ['OFF', undefined],
  ['0', undefined],
  ['', undefined],
  ['True', 'overwrite does not have a valid value'],
  ['yes', 'overwrite does not have a valid value'],
  ['None', 'overwrite is invalid'],
])('reads overwrite=%s as every other boolean (G-1-5)', (overwrite, error) => {
  const read = () => readForm(new Map(Object.entries({ path: 'p', overwrite })));
  if (error === undefined) expect(read().path).toBe('p');
  else expect(read).toThrow(expect.objectContaining({ body: { error } }));
});
