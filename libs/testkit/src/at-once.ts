/**
 * Runs rows that know nothing of each other, `most` at a time, so that what the one waits for holds up no other.
 * @returns the end of a row, for the test case of it
 */
export function atOnce<Row>(
  rows: readonly Row[],
  most: number,
  run: (row: Row) => Promise<void>,
): (row: Row) => Promise<void> {
  const waiting: (() => void)[] = [];
  let running = 0;
  const inTurn = async (row: Row): Promise<void> => {
    if (running < most) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      await run(row);
    } finally {
      const begin = waiting.shift();
      if (begin === undefined) running -= 1;
      else begin();
    }
  };
  const ends = new Map(rows.map((row) => [row, inTurn(row)]));
  // Each is looked at by its own case, which may come after it has failed.
  for (const end of ends.values()) end.catch(() => undefined);
  return async (row) => {
    const end = ends.get(row);
    if (end === undefined) throw new Error('no such row was begun');
    await end;
  };
}
