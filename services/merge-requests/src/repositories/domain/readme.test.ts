import { readmeOf } from './readme';

test.each([
  [['LICENSE', 'src.md'], undefined],
  [['README'], 'README'],
  [['README', 'readme.txt', 'ReadMe.MD'], 'ReadMe.MD'],
  [['readme.rst', 'README.txt'], 'readme.rst'],
  [['README.md.bak', 'README.exe', 'README-de.md', 'MY-README.md'], undefined],
  [['README.md', 'readme.md'], 'README.md'],
])('of %j it is %j', (names, found) => {
  expect(readmeOf(names)).toBe(found);
});
