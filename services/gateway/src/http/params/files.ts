import type { z } from 'zod';
import { invalid, kind } from './kind';

/** A file of a multipart body, with what was kept of it. */
export class SentFile {
  constructor(
    /** As it was sent; nothing is known of it. */
    readonly filename: string,
    /** Its content, or as much of it as shows that it is too large. */
    readonly content: Buffer,
  ) {}
}

/** Bytes of the largest small file; a larger one is kept as one byte more. */
export const smallFileLimit = 200 << 10;

/** What a parameter that takes a small file gives: the file, or `none` where it was sent blank. */
export type SmallFile = SentFile | 'none';

/**
 * A small file, such as an avatar, next to the other fields of a multipart body; sent blank in any body it removes what
 * is there. Its size and what it holds are for the service to judge, with its other problems.
 */
export function smallFile(): z.ZodType<SmallFile> {
  const openapi = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
  return kind(openapi, (value): SmallFile | typeof invalid =>
    value instanceof SentFile ? value : value === '' ? 'none' : invalid,
  ).meta({ openapi, file: true });
}
