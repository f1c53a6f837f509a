/** Whether a call of the file system failed because the file, or a folder above it, is not there. */
export const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === 'ENOENT';

/** What a call of the file system gives; undefined where the file, or a folder above it, is not there. */
export const ifThere = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((cause) => {
    if (!isMissing(cause)) throw cause;
    return undefined;
  });
