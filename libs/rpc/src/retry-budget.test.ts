import { retryBudget } from './retry-budget';

const takeAll = (budget: ReturnType<typeof retryBudget>): number => {
  let taken = 0;
  while (budget.take()) taken += 1;
  return taken;
};

test('a tenth of the calls may be repeated, and 128 at once', () => {
  const budget = retryBudget();
  expect(takeAll(budget)).toBe(128);
  for (let call = 0; call < 101; call++) budget.succeeded();
  expect(takeAll(budget)).toBe(10);
  for (let call = 0; call < 10_000; call++) budget.succeeded();
  expect(takeAll(budget)).toBe(128);
});
