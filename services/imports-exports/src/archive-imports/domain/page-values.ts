import { badArchive } from './archive-order';

/** Values of one record, and of a page of them: owners parse a page at once, while others wait. */
const mostOfRecord = 50_000;
const mostOfPage = 1_000_000;

const [lineFeed, quote, comma, backslash, bracket, brace] = [...Buffer.from('\n",\\[{')];

/**
 * Counts the values of a page of records without making them: a megabyte of `[],[],…` would be a hundred of objects.
 * @returns how many lines end in it
 * @throws AppError unprocessable for more than 50,000 values in a line, and for more than 1,000,000 in all
 */
export function boundValues(page: Uint8Array): number {
  let [lines, ofRecord, ofPage] = [0, 0, 0];
  let isText = false;
  for (let at = 0; at < page.length; at += 1) {
    const byte = page[at];
    if (byte === lineFeed) {
      lines += 1;
      ofPage += ofRecord;
      ofRecord = 0;
      // No text of JSON has a line in it: its owner refuses the record.
      isText = false;
    } else if (isText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    else if (byte === comma || byte === bracket || byte === brace) ofRecord += 1;
    if (ofRecord > mostOfRecord || ofPage > mostOfPage) throw badArchive('it has a record of too many values');
  }
  return lines;
}
