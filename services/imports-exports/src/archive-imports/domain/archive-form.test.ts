import { readForm } from './archive-form';

it('reads a list of settings with all that was sent', () => {
  const fields = new Map([
    ['path', 'moved'],
    ['override_params[topics][]', 'a,b'],
    ['override_params[description]', 'c, d'],
  ]);
  expect(readForm(fields).overrides).toEqual({ topics: ['a', 'b'], description: 'c, d' });
});
