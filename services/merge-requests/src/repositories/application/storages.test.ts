import { parseEnvironment } from '@switchyard/config';
import { dataVariables } from '../../edges';
import { storagesIn } from './storages';

const weights = (written?: string) =>
  parseEnvironment(dataVariables, { SWITCHYARD_REPOSITORY_STORAGES: written }).SWITCHYARD_REPOSITORY_STORAGES;

test('by default there is one storage, where repositories always lay', () => {
  const storages = storagesIn('/data', weights());
  expect([storages.only, storages.names.map(storages.folderOf)]).toEqual(['default', ['/data/repositories']]);
  expect(storages.at('default', 255).path).toBe('/data/repositories/ff/255.git');
});

test('new repositories go to storages by their weights', () => {
  const storages = (random: number) => storagesIn('/data', weights('default:1, old:0, fast-2:3'), () => random);
  expect([0, 0.24, 0.25, 0.5, 0.99].map((random) => storages(random).choose())).toEqual([
    'default',
    'default',
    'fast-2',
    'fast-2',
    'fast-2',
  ]);
  const { names, only, folderOf, takesNew, at } = storages(0);
  expect([names, only]).toEqual([['default', 'old', 'fast-2'], undefined]);
  expect(names.map(folderOf)).toEqual(['/data/repositories', '/data/storages/old', '/data/storages/fast-2']);
  expect(['default', 'old', 'fast-2', 'other'].map(takesNew)).toEqual([true, false, true, false]);
  expect(at('old', 1).path).toBe('/data/storages/old/01/1.git');
  expect(() => at('other', 1)).toThrow(expect.objectContaining({ kind: 'unavailable' }));
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
