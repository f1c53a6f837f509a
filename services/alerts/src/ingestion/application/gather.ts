/**
 * Joins look-ups of one key: all that are asked for while one is under way share the next. None is answered by a look-up that began
 * before it was asked for, so that nothing is out of date as it would be with a cache.
 */
export function gather<Key, Value>(
  nameOf: (key: Key) => string,
  lookUp: (key: Key) => Promise<Value>,
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
        return lookUp(key);
      })
      .finally(() => {
        if (running.get(name) === mine) running.delete(name);
      });
    next.set(name, mine);
    return mine;
  };
}
