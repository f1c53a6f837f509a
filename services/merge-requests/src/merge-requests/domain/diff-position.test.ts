import fc from 'fast-check';
import { codeLines, isPosition, movedLine } from './diff-position';

const diff = `@@ -2,4 +2,5 @@ context
 two
-three
+THREE
+and a half
 four
 five
@@ -20,2 +20,0 @@
-twenty
-twenty-one
`;

it('a line moves by what was added and removed before it, and is gone where it was changed', () => {
  expect([1, 2, 3, 4, 5, 6, 19, 20, 21, 22].map((line) => movedLine(diff, line))).toEqual([
    1,
    2,
    undefined,
    5,
    6,
    7,
    20,
    undefined,
    undefined,
    21,
  ]);
  expect(movedLine('', 9)).toBe(9);
});

it('a place is an added line by its new number, a removed one by its old, any other by both', () => {
  expect(isPosition(diff, undefined, 3)).toBe(true);
  expect(isPosition(diff, undefined, 2)).toBe(false);
  expect(isPosition(diff, undefined, 30)).toBe(false);
  expect(isPosition(diff, 3, undefined)).toBe(true);
  expect(isPosition(diff, 20, undefined)).toBe(true);
  expect(isPosition(diff, 4, undefined)).toBe(false);
  expect(isPosition(diff, 4, 5)).toBe(true);
  expect(isPosition(diff, 4, 4)).toBe(false);
  expect(isPosition(diff, 100, 99)).toBe(true);
  expect(isPosition(diff, undefined, undefined)).toBe(true);
});

/** A diff without context, as `git diff --unified=0` prints it, of edits that keep, remove and add lines. */
function unified(edits: readonly ('keep' | 'remove' | 'add')[]): { text: string; moves: (number | undefined)[] } {
  const moves: (number | undefined)[] = [undefined];
  let text = '';
  let [oldLine, newLine] = [1, 1];
  for (const edit of edits) {
    if (edit === 'keep') {
      moves.push(newLine);
      oldLine += 1;
      newLine += 1;
    } else if (edit === 'remove') {
      text += `@@ -${oldLine} +${newLine - 1},0 @@\n-x\n`;
      moves.push(undefined);
      oldLine += 1;
    } else {
      text += `@@ -${oldLine - 1},0 +${newLine} @@\n+y\n`;
      newLine += 1;
    }
  }
  return { text, moves };
}

it('moves agree with the edits that made the diff', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('keep', 'remove', 'add'), { maxLength: 40 }), (edits) => {
      const { text, moves } = unified(edits as never);
      for (let line = 1; line < moves.length; line += 1) expect(movedLine(text, line)).toBe(moves[line]);
    }),
    { seed: 7, numRuns: 300 },
  );
});

it('a line code has both numbers of a line: those of the line that follows where a side has none', () => {
  const codes = [{ newLine: 3 }, { newLine: 4 }, { oldLine: 3 }, { oldLine: 21 }, { oldLine: 4, newLine: 5 }, {}];
  expect(codes.map((numbers) => codeLines(diff, numbers))).toEqual([
    { oldLine: 4, newLine: 3 },
    { oldLine: 4, newLine: 4 },
    { oldLine: 3, newLine: 3 },
    { oldLine: 21, newLine: 21 },
    { oldLine: 4, newLine: 5 },
    undefined,
  ]);
});
