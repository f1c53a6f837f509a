import { invalidParams } from '@switchyard/errors';
import type { ProjectUpload, ProjectUploadPart } from '@switchyard/protos/rpc/v1/project_upload';

/** Bytes of a message. */
const messageBytes = 256 << 10;

/** Bytes as messages of a stream have them, which share their memory with them. */
export function* inMessages(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += messageBytes) {
    const part = bytes.subarray(at, at + messageBytes);
    yield Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  }
}

/** A file as the messages of a stream. */
export async function* uploadParts(
  upload: ProjectUpload,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<ProjectUploadPart> {
  yield { upload, data: Buffer.alloc(0) };
  for await (const chunk of content) for (const data of inMessages(chunk)) yield { upload: undefined, data };
}

/**
 * The files of a stream, whose contents are read one after the other; what is not read of one is passed over.
 * @throws AppError invalid_params for a stream that does not begin with a file
 */
export async function* uploadsOf(parts: AsyncIterable<ProjectUploadPart>): AsyncGenerator<{
  readonly upload: ProjectUpload;
  readonly content: AsyncIterable<Uint8Array>;
}> {
  const given = parts[Symbol.asyncIterator]();
  let ahead = await given.next();
  // A reader that stops leaves the part that it had last in place, which is passed over with the rest.
  async function* rest(): AsyncGenerator<Uint8Array> {
    for (; !ahead.done && ahead.value.upload === undefined; ahead = await given.next()) yield ahead.value.data;
  }
  try {
    while (!ahead.done) {
      const { upload } = ahead.value;
      if (upload === undefined) throw invalidParams('upload is missing');
      ahead = await given.next();
      yield { upload, content: rest() };
      for await (const _ of rest());
    }
  } finally {
    await given.return?.();
  }
}
