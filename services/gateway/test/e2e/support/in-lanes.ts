/** Works on all items, some at a time. */
export const inLanes = async <T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  lanes = 6,
): Promise<void> => {
  let at = 0;
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (at < items.length) {
        const item = items[at] as T;
        at += 1;
        await work(item);
      }
    }),
  );
};
