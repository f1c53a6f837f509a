/**
 * Bytes of a part. A tar file says how long an entry is before it comes, which of a bundle is not known until it ends.
 */
const partBytes = 4 << 20;

/** The bytes of a stream in parts of 4 MiB and the rest of a chunk, but for the last. */
export async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    gathered.push(chunk);
    size += chunk.length;
    if (size < partBytes) continue;
    yield Buffer.concat(gathered);
    [gathered, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(gathered);
}
