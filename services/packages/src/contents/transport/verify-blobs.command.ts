import type { ContentVerdict } from '../application/verify-contents';

/** Milliseconds between two lines of progress. */
const progressMs = 2_000;

/**
 * Writes a line for each content that differs from its row, progress, and a summary.
 * @returns the exit code: 1 when any differs
 */
export async function reportContents(
  verdicts: AsyncIterable<ContentVerdict>,
  write: (line: string) => void,
): Promise<number> {
  let [verified, bytes, differing, reportedAt] = [0, 0, 0, Date.now()];
  for await (const { content, difference } of verdicts) {
    verified += 1;
    bytes += content.size;
    if (difference !== undefined) {
      differing += 1;
      write(`differs: content ${content.id} (${content.blob}, SHA-256 ${content.sha256}): ${difference}`);
    }
    if (Date.now() - reportedAt < progressMs) continue;
    reportedAt = Date.now();
    write(`… ${verified} contents, ${bytes} bytes so far`);
  }
  write(`${verified} contents verified, ${bytes} bytes, ${differing} differ`);
  return differing === 0 ? 0 : 1;
}
