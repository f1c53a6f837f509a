import { z } from '@switchyard/config';
import type { ForgePullNote } from '../domain/forge';

const idShape = z.int().positive();

/** A comment and the one that it answers, whatever else it is. */
export const answerShape = z
  .object({ id: idShape, parent: z.object({ id: idShape }).nullish().catch(null) })
  .transform(({ id, parent }) => ({ id, parent: parent?.id }));

/** What `answerShape` reads. */
export type Answer = z.infer<typeof answerShape>;

/** A comment of a list, with what it says where that is a note. */
export const placedShape = (note: z.ZodType<ForgePullNote>) =>
  z.unknown().transform((given, context) => {
    const [answer, read] = [answerShape.safeParse(given), note.safeParse(given)];
    if (answer.success) return { ...answer.data, note: read.data };
    context.addIssue('It is no comment');
    return z.NEVER;
  });

/** Comments of other pages that are looked up for one: a thread whose beginning lies behind them is one of its own. */
const maxLookups = 100;

/**
 * Notes in the threads that their first comments begin. The forge names the comment that was answered, which may be an answer
 * itself, be deleted, or lie on a page before.
 * @param find a comment by the number of its pull request and its id; undefined for one that is not there
 */
export async function inThreads(
  page: readonly (Answer & { readonly note?: ForgePullNote | undefined })[],
  find: (pullIid: number, id: number) => Promise<Answer | undefined>,
): Promise<ForgePullNote[]> {
  const known = new Map<number, Answer | undefined>(page.map((one) => [one.id, one]));
  let lookups = 0;
  async function answerOf(pullIid: number, id: number): Promise<Answer | undefined> {
    if (!known.has(id) && lookups < maxLookups) {
      lookups += 1;
      known.set(id, await find(pullIid, id));
    }
    return known.get(id);
  }
  const notes: ForgePullNote[] = [];
  for (const { note } of page) {
    if (note === undefined) continue;
    const passed = new Set<number>();
    let first = note.foreignId;
    // A forge that lies may have comments that answer each other.
    for (let at: number | undefined = first; at !== undefined && !passed.has(at); ) {
      passed.add(at);
      first = at;
      at = (await answerOf(note.pullIid, at))?.parent;
    }
    notes.push({ ...note, threadId: first });
  }
  return notes;
}
