/**
 * Coalesces concurrent look-ups of a key: calls during a look-up share the next one. No call gets the result of a
 * look-up that began before the call, so results are never stale, as they would be with a cache.
 */
export function coalesce<Key, Value>(
  nameOf: (key: Key) => string,
  find: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  const next = new Map<string, Promise<Value>>();
  const running = new Map<string, Promise<unknown>>();
  return (key) => {
    const name = nameOf(key);
    const joined = next.get(name);
    if (joined !== undefined) return joined;
    const before = running.get(name) ?? Promise.resolve();
    const mine = before
      .catch(() => undefined)
      .then(() => {
        next.delete(name);
        running.set(name, mine);
        return find(key);
      })
      .finally(() => {
        if (running.get(name) === mine) running.delete(name);
      });
    next.set(name, mine);
    return mine;
  };
}
