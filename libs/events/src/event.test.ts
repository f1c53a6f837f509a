import { decodeBody, defineEvent, encodeBody } from './event';

const message = {
  toJSON: (payload: { name: string }) => ({ name: payload.name }),
  fromJSON: (json: { name?: unknown }) => ({ name: String(json.name ?? '') }),
};

const happened = defineEvent({
  stream: 'things.thing',
  version: 2,
  type: 'thing.happened',
  message,
  key: ({ name }) => name,
});

test('the topic is the stream and its version', () => {
  expect(happened.topic).toBe('things.thing.v2');
});

test.each(['', 'Upper', 'with space', 'a/b', '.leading', 'x'.repeat(200)])(
  '%j is refused as the name of a stream',
  (stream) => {
    expect(() => defineEvent({ stream, version: 1, type: 't', message, key: () => '' })).toThrow(/not a name/);
  },
);

test('a body comes back as it was, and fields of a newer publisher are ignored', () => {
  expect(decodeBody(happened, encodeBody(happened, { name: 'über "x"' }))).toEqual({ name: 'über "x"' });
  expect(decodeBody(happened, '{"name":"a","added_later":true}')).toEqual({ name: 'a' });
});

test.each(['', 'null', '[]', '"text"', '{'])('the body %j is refused', (body) => {
  expect(() => decodeBody(happened, body)).toThrow();
});
