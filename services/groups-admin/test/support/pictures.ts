const be32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The header and the end of a PNG: what is looked at, without a pixel. */
export const pngOf = (width = 8, height = 8, padding = 0): Buffer =>
  Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...[be32(13), Buffer.from('IHDR'), be32(width), be32(height), Buffer.from([8, 6, 0, 0, 0]), be32(0)],
    ...[be32(padding), Buffer.from('IDAT'), Buffer.alloc(padding), be32(0)],
    ...[be32(0), Buffer.from('IEND'), be32(0)],
  ]);
