import { statSync } from 'node:fs';
import { logger } from '@switchyard/telemetry';

/** Milliseconds for which what was read is used before its file is looked at again. */
const lookAgainMs = 1_000;

/**
 * Content of a file that may be replaced while the process runs: the same object until then. One that cannot be read then
 * leaves the old content.
 */
export function following<T>(file: string, read: () => T): () => T {
  const stampOf = (): string => {
    const { ino, size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? {};
    return `${ino} ${size} ${mtimeMs}`;
  };
  // Before it is read: what replaces it meanwhile has another stamp.
  let [stamp, lookedAt] = [stampOf(), performance.now()];
  let content = read();
  return () => {
    if (performance.now() - lookedAt < lookAgainMs) return content;
    lookedAt = performance.now();
    try {
      const found = stampOf();
      if (found !== stamp) [content, stamp] = [read(), found];
    } catch (error) {
      logger.error({ err: error }, 'a key that has changed cannot be read');
    }
    return content;
  };
}
