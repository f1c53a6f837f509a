import { parentPort } from 'node:worker_threads';

/** What a thread answers: some items, and whether these are the last ones. */
export interface Answer<Item> {
  readonly items: readonly Item[];
  readonly isLast: boolean;
}

/** Items of one answer: what takes longer to be passed on would hold up the other side. */
const batch = 1_000;

/** Answers what a thread is asked: a question, or `undefined` for more of the last one. @param read its items, made one by one */
export function answerQuestions<Question, Item>(read: (question: Question) => Iterable<Item>): void {
  let items: Iterator<Item> | undefined;
  parentPort?.on('message', (question: Question | undefined) => {
    if (question !== undefined) items = read(question)[Symbol.iterator]();
    const some: Item[] = [];
    let next = items?.next();
    while (next !== undefined && !next.done) {
      some.push(next.value);
      if (some.length >= batch) break;
      next = items?.next();
    }
    parentPort?.postMessage({ items: some, isLast: next?.done !== false } satisfies Answer<Item>);
  });
}
