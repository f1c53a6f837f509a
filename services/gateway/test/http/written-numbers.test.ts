import { entity } from '@switchyard/rpc';
import { parseWritten, WrittenNumber } from '../../src/http/json-bytes';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { kernelRoutes } from './kernel-routes';

describe('numbers of a JSON body', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      routes: kernelRoutes(async ({ params }) => entity(params)),
      access: () => resolved({ access: projectAccess() }),
    });
  });
  afterAll(() => gateway.close());

  const send = async (raw: string) =>
    (
      await gateway.send('POST', '/projects/1/things', {
        token: `glpat-${Math.random()}`,
        raw,
        headers: { 'Content-Type': 'application/json' },
      })
    ).body;

  it.each(['9007199254740993', '1.0', '0.10', '1e3', '1E+400', '-0', '-12.50', '1', '12345678901234567890123'])(
    '%s is the text that was written',
    async (digits) => {
      expect(await send(`{"name": ${digits}}`)).toEqual({ name: digits });
      expect(await send(`{"name":${digits},"labels":["a",${digits}],"steps":[{"do":${digits}}]}`)).toEqual({
        name: digits,
        labels: ['a', digits],
        steps: [{ do: digits }],
      });
      expect(await send(`{"name":"n","labels":${digits}}`)).toEqual({ name: 'n', labels: [digits] });
    },
  );

  it('texts that look like numbers stay as they are', async () => {
    const texts = { name: '"1.0\\", 9007199254740993 [1e3', labels: ['1.0\\', '-0'] };
    expect(await send(JSON.stringify(texts))).toEqual(texts);
  });

  it.each([
    ['1.0', 1],
    ['7.00', 7],
    ['1e3', 1_000],
    ['-0', 0],
    ['9007199254740991', 9007199254740991],
  ])('the whole number %s is %i', async (digits, value) => {
    expect(await send(`{"name":"n","count":${digits},"ids":[${digits}],"not":{"author_id":${digits}}}`)).toEqual({
      name: 'n',
      count: value,
      ids: [value],
      not: { author_id: value },
    });
  });

  it.each(['9007199254740993', '1.5', '1e300', '0.99999999999999999999', '1e-3', '4.00000000000000000001'])(
    '%s is no whole number, least of all another one',
    async (digits) => {
      expect(await send(`{"name":"n","count":${digits}}`)).toEqual({ error: 'count is invalid' });
    },
  );

  it.each(['not', 'steps', 'extra'])('is no object: %s', async (name) => {
    expect(await send(`{"name":"n","${name}":1.0}`)).toEqual({ error: `${name} is invalid` });
  });

  it('is a number in an object of any content', async () => {
    expect(await send('{"name":"n","extra":{"a":1.0,"b":[0.10,{"c":1e3}]}}')).toEqual({
      name: 'n',
      extra: { a: 1, b: [0.1, { c: 1_000 }] },
    });
  });

  it.each(['{1.0:2}', '{"a":01.5}', '{"a":1.}', '{"a":+1.0}', '{"a":1.0.0}', '{"a":1.0"b":1}', '1.0'])(
    '%s is refused as before',
    async (raw) => {
      expect(await send(raw)).toEqual({ error: expect.stringMatching(/^the body is not/) });
    },
  );
});

test('of a body with more of them than any parameter takes the first ten thousand keep their digits', () => {
  const parsed = parseWritten(`[${'1.0,'.repeat(1_250_000)}0]`) as unknown[];
  expect([parsed[0], parsed[9_999]]).toEqual([new WrittenNumber('1.0'), new WrittenNumber('1.0')]);
  expect([parsed[10_000], parsed.at(-2)]).toEqual([1, 1]);
});
