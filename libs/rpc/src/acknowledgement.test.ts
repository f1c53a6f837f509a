import { Metadata } from '@grpc/grpc-js';
import { acknowledgement, attention } from './acknowledgement';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** What a process of this version sends ahead of a reply. */
function acknowledged(): Metadata {
  const sent: Metadata[] = [];
  acknowledgement({ sendMetadata: (metadata) => sent.push(metadata) }).send();
  return sent[0] as Metadata;
}

test('a call is acknowledged while it is worked on, and not once it is left to another process', () => {
  const sent: string[] = [];
  const arrives = (name: string) => acknowledgement({ sendMetadata: () => sent.push(name) });
  arrives('long');
  arrives('left').leave();
  jest.advanceTimersByTime(99);
  expect(sent).toEqual([]);
  jest.advanceTimersByTime(1);
  expect(sent).toEqual(['long']);
});

test('a peer that acknowledges is given up when it is silent', () => {
  const { heard, watch } = attention();
  heard(acknowledged());
  const ended: string[] = [];
  watch(1_000, () => ended.push('first'));
  watch(2_500, () => ended.push('all'));
  watch(1_000, () => ended.push('answered'))();
  jest.advanceTimersByTime(1_000);
  expect(ended).toEqual(['first']);
  jest.advanceTimersByTime(1_500);
  expect(ended).toEqual(['first', 'all']);
});

test('a peer of an earlier version acknowledges nothing, and is waited for', () => {
  const { heard, watch } = attention();
  const ended: string[] = [];
  const watches = (name: string) => watch(1_000, () => ended.push(name));
  watches('unknown');
  heard(acknowledged());
  heard(new Metadata());
  watches('one of several replicas');
  jest.advanceTimersByTime(10_000);
  expect(ended).toEqual([]);
  watches('replaced');
  jest.advanceTimersByTime(1_000);
  expect(ended).toEqual(['replaced']);
});
