import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBody, type EventDefinition, encodeBody, type MessageCodec } from '../event';
import * as lib from '../index';

type AnyEvent = EventDefinition<unknown>;

const isEvent = (value: unknown): value is AnyEvent =>
  typeof value === 'object' && value !== null && 'topic' in value && 'message' in value;

const catalogue: [string, AnyEvent][] = Object.entries(lib as Record<string, unknown>).flatMap(([name, value]) =>
  isEvent(value) ? [[name, value] as [string, AnyEvent]] : [],
);

const protoRoot = join(__dirname, '../../../../protos/switchyard');

/** Messages that end in `Event` of every proto file under an `events/` folder. */
const messages: [string, MessageCodec<unknown>][] = readdirSync(protoRoot, { recursive: true, encoding: 'utf8' })
  .filter((path) => /(^|\/)events\/v\d+\/[^/]+\.proto$/.test(path))
  .flatMap((path) => {
    const generated = require(`@switchyard/protos/${path.replace(/\.proto$/, '')}`) as Record<string, unknown>;
    return Object.entries(generated)
      .filter(
        ([name, value]) => name.endsWith('Event') && typeof value === 'object' && value !== null && 'fromJSON' in value,
      )
      .map(([name, value]) => [`${path} ${name}`, value as MessageCodec<unknown>] as [string, MessageCodec<unknown>]);
  });

test('there are events, and messages for them', () => {
  expect(catalogue.length).toBeGreaterThan(0);
  expect(messages.length).toBeGreaterThan(0);
});

test('no two events share a topic and a type', () => {
  const places = catalogue.map(([, event]) => `${event.topic} ${event.type}`);
  expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
});

test.each(messages)('%s is bound to one event', (_, message) => {
  expect(catalogue.filter(([, event]) => event.message === message)).toHaveLength(1);
});

test.each(catalogue)(
  '%s comes back from its body as it was, has a key even when empty, and ignores what is added later',
  (_, event) => {
    const empty = decodeBody(event, '{}');
    expect(typeof event.key(empty)).toBe('string');
    expect(decodeBody(event, encodeBody(event, empty))).toEqual(empty);
    expect(decodeBody(event, '{"addedLater":{"deep":[1]}}')).toEqual(empty);
  },
);
