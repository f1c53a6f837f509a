import { parseEnvironment } from '@switchyard/config';
import { variables as all, dataVariables } from '../../edges';
import { storagesIn } from './storages';

const weights = (written?: string) =>
  parseEnvironment(dataVariables, { SWITCHYARD_REPOSITORY_STORAGES: written }).SWITCHYARD_REPOSITORY_STORAGES;

test('by default there is one storage, where repositories always lay', () => {
  const storages = storagesIn('/data', weights());
  expect([storages.only, storages.names.map(storages.folderOf)]).toEqual(['default', ['/data/repositories']]);
  expect(storages.at('default', 255).path).toBe('/data/repositories/ff/255.git');
});

test('new repositories go to storages by their weights, the same project always to the same', () => {
  const storages = storagesIn('/data', weights('default:1, old:0, fast-2:3'));
  const projects = Array.from({ length: 4_000 }, (_, at) => at + 1);
  const chosen = projects.map(storages.choose);
  const share = (name: string) => chosen.filter((one) => one === name).length / projects.length;
  expect(share('default')).toBeCloseTo(0.25, 2);
  expect(share('fast-2')).toBeCloseTo(0.75, 2);
  expect(projects.map(storagesIn('/data', weights('default:1, old:0, fast-2:3')).choose)).toEqual(chosen);
  const { names, only, folderOf, takesNew, at } = storages;
  expect([names, only]).toEqual([['default', 'old', 'fast-2'], undefined]);
  expect(names.map(folderOf)).toEqual(['/data/repositories', '/data/storages/old', '/data/storages/fast-2']);
  expect(['default', 'old', 'fast-2', 'other'].map(takesNew)).toEqual([true, false, true, false]);
  expect(at('old', 1).path).toBe('/data/storages/old/01/1.git');
  expect(() => at('other', 1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
});

test('a process has the storages that it serves, and knows of the others', () => {
  const all = weights('default:1,old:0,fast:1');
  const [first, second] = [storagesIn('/data', all, new Set(['fast'])), storagesIn('/data', all, new Set(['old']))];
  expect([first.served, first.isDivided, storagesIn('/data', all).isDivided]).toEqual([['fast'], true, false]);
  expect(['default', 'old', 'fast'].map(first.serves)).toEqual([false, false, true]);
  expect(() => first.at('default', 1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  const projects = Array.from({ length: 20 }, (_, at) => at + 1);
  expect(projects.map(first.choose)).toEqual(projects.map(second.choose));
  expect(new Set(projects.map(first.choose))).toEqual(new Set(['default', 'fast']));
});

test.each([
  ['default', 'must be <name>:<weight>,… (0 to 100)'],
  ['../up:1', 'must be <name>:<weight>,… (0 to 100)'],
  ['default:101', 'must be <name>:<weight>,… (0 to 100)'],
  ['default:1,', 'must be <name>:<weight>,… (0 to 100)'],
  ['default:1,default:2', 'names a storage twice'],
  ['default:0', 'must have a storage with a weight above 0'],
])('%s is refused', (written, problem) => {
  expect(() => weights(written)).toThrow(`SWITCHYARD_REPOSITORY_STORAGES: ${problem}`);
});

test('processes are named by the storages that they serve', () => {
  const peers = (written: string) =>
    parseEnvironment({ SWITCHYARD_STORAGE_PEERS: all.SWITCHYARD_STORAGE_PEERS }, { SWITCHYARD_STORAGE_PEERS: written })
      .SWITCHYARD_STORAGE_PEERS;
  expect([...(peers('fast=one.example:50051/8081, old=[::1]:1/2') ?? [])]).toEqual([
    ['fast', { grpc: 'one.example:50051', http: 'http://one.example:8081' }],
    ['old', { grpc: '[::1]:1', http: 'http://[::1]:2' }],
  ]);
  for (const wrong of ['fast', 'fast=host', 'fast=host:1', 'fast=http://host:1/2', 'fast=host:1/2,'])
    expect(() => peers(wrong)).toThrow('must be <storage>=<host>:<gRPC port>/<HTTP port>,…');
});
