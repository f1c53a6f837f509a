import { notFound } from '@switchyard/errors';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

type Reads = Pick<MergeRequestEdges, 'mergeRequests'>;

/** A merge request that has to be there. @throws AppError not_found */
export async function viewOf(
  { mergeRequests }: Reads,
  ...of: Parameters<Reads['mergeRequests']['view']>
): Promise<MergeRequestView> {
  const view = await mergeRequests.view(...of);
  if (view === undefined) throw notFound();
  return view;
}
