import { badArchive } from './archive-order';

/**
 * Values of a page of records: owners parse a page at once, while others wait. The events of an issue are one record, each
 * of seven values, so a record alone may have as many.
 */
const mostOfPage = 1_000_000;

const [lineFeed, quote, comma, backslash, bracket, brace] = [...Buffer.from('\n",\\[{')];

/**
 * Counts the values of a page of records without making them: a megabyte of `[],[],…` would be a hundred of objects.
 * @returns how many lines end in it
 * @throws AppError unprocessable for more than 1,000,000 values
 */
export function boundValues(page: Uint8Array): number {
  let [lines, values] = [0, 0];
  let isText = false;
  for (let at = 0; at < page.length; at += 1) {
    const byte = page[at];
    if (byte === lineFeed) {
      lines += 1;
      // No text of JSON has a line in it: its owner refuses the record.
      isText = false;
    } else if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma || byte === bracket || byte === brace) values += 1;
    if (values > mostOfPage) throw badArchive('it has records of too many values');
  }
  return lines;
}
