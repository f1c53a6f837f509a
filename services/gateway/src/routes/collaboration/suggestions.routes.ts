import { SuggestionServiceService } from '@switchyard/protos/collaboration/v1/suggestion';
import type { BoundClient } from '../../http/clients';
import { documented, integer, integers, text } from '../../http/params';
import { defineRoute, type Located } from '../../http/route';
import { atMost } from '../field-facts';

/** Who may push to the source branch is known to its service: it may lie in a fork (ADR 39). */
const access = { located: 'commit_code' } as const;

/** Suggestions are read with the merge request whose notes make them. */
const within = { thing: 'Suggestion', read: 'read_merge_request' } as const;

async function locate(client: BoundClient<typeof SuggestionServiceService>, ids: number[]): Promise<Located> {
  const { projectId, internal } = await client.locateSuggestions({ ids });
  return { projectId, alsoRead: internal ? 'read_internal_note' : undefined };
}

const commitMessage = documented(text(), atMost(1_000_000)).optional();

/** Suggestions of diff notes. */
export const suggestionRoutes = [
  defineRoute({
    method: 'put',
    path: '/suggestions/:suggestion_id/apply',
    section: 'Suggestions',
    summary: 'Apply a suggestion',
    docs: {
      description:
        'Commit what a diff note suggests to the source branch of its merge request, and resolve its thread. Refused with 400 when the lines have changed since.',
      example: { commit_message: 'Use a constant' },
    },
    access,
    path_params: { suggestion_id: integer() },
    params: { commit_message: commitMessage },
    returns: { 200: 'Suggestion' },
    locate: {
      ...within,
      place: ({ path, call }) => locate(call(SuggestionServiceService), [path.suggestion_id]),
    },
    handle: ({ params, path, access: { id }, call }) =>
      call(SuggestionServiceService).applySuggestions({
        projectId: id,
        ids: [path.suggestion_id],
        commitMessage: params.commit_message ?? '',
        asList: false,
      }),
  }),
  defineRoute({
    method: 'put',
    path: '/suggestions/batch_apply',
    section: 'Suggestions',
    summary: 'Apply several suggestions',
    docs: {
      description:
        'Commit suggestions of one merge request to its source branch, all in one commit or none of them. The placeholders of a message are `%{branch_name}`, `%{co_authored_by}`, `%{file_paths}`, `%{files_count}`, `%{project_name}`, `%{project_path}`, `%{suggestions_count}`, `%{user_full_name}` and `%{username}`.',
      example: { ids: [5, 6] },
    },
    access,
    params: {
      ids: documented(integers(), { minItems: 1, maxItems: 100 }),
      commit_message: commitMessage,
    },
    returns: { 200: ['Suggestion'] },
    locate: { ...within, place: ({ params, call }) => locate(call(SuggestionServiceService), params.ids) },
    handle: ({ params, access: { id }, call }) =>
      call(SuggestionServiceService).applySuggestions({
        projectId: id,
        ids: params.ids,
        commitMessage: params.commit_message ?? '',
        asList: true,
      }),
  }),
];
