import { growth } from '@switchyard/testkit';
import { expressionsInSlices, parseExpression } from './expression';

const matching = expressionsInSlices();
const messageOf = (expression: string): unknown => {
  try {
    parseExpression(expression);
    return undefined;
  } catch (error) {
    return (error as { body?: { message: string } }).body?.message ?? error;
  }
};

test('an expression matches anywhere in a text', async () => {
  expect(await matching(1, ['main', 'feature/main', 'other'], 'ma.n$')).toEqual(new Set(['main', 'feature/main']));
  expect(await matching(1, ['main'], '^$')).toEqual(new Set());
});

test.each([
  ['(', 'Regex is invalid'],
  ['(a)\\1', 'Regex is invalid'],
  ['(?=a)a', 'Regex is invalid'],
  ['(?<!a)b', 'Regex is invalid'],
  ['a**', 'Regex is invalid'],
  ['((a{10}){20}){10}', 'Regex is invalid'],
  ['a'.repeat(501), 'Regex is too long'],
  ['a{200}b{200}', 'Regex is too complex'],
  ['a{1000}', 'Regex is too complex'],
  ['((a{10}){10}){10}((b{10}){10}){9}', 'Regex is too complex'],
])('%j is refused: %s', (expression, message) => expect(messageOf(expression)).toBe(message));

test.each([
  ['^(a*)*$', 'a'],
  ['(x+x+)+y', 'x'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
  ['^(a|aa)*$', 'a'],
  ['(.*a){20}!$', 'a'],
  ['(a?){50}a{50}!', 'a'],
])('%j takes time proportional to the text', (expression, letter) => {
  const matches = parseExpression(expression);
  expect(growth((size) => matches(`${letter.repeat(size)}?`))).toBeLessThan(1.5);
});

const nasty = '[ab]*a[ab]{200}$';
const texts = Array.from({ length: 100 }, (_, at) =>
  Array.from({ length: 300 }, (_, place) => 'ab'[((at + 7) * (place + 3) * 2_654_435_761) & 4_096 ? 1 : 0]).join(''),
);

test('other work is done between slices', async () => {
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const slices = expressionsInSlices({ sliceMs: 1 });
  await slices(1, texts, nasty);
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(3);
});

test('matching ends when its time is spent', () =>
  expect(expressionsInSlices({ budgetMs: 20, sliceMs: 1 })(1, texts, nasty)).rejects.toMatchObject({
    kind: 'request_timeout',
  }));

test('requests beyond the number that may be under way are answered at once', async () => {
  const slices = expressionsInSlices({ running: 3, runningOfOne: 2 });
  const answers = [1, 1, 1, 2, 3].map((owner) =>
    slices(owner, texts.slice(0, 20), nasty).then(
      () => 'done',
      (error: { kind: string }) => error.kind,
    ),
  );
  expect(await Promise.all(answers)).toEqual(['done', 'done', 'unavailable', 'done', 'unavailable']);
  await expect(slices(1, ['b'], 'b')).resolves.toEqual(new Set(['b']));
});
