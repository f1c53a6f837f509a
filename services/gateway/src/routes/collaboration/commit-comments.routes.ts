import { DiscussionServiceService } from '@switchyard/protos/collaboration/v1/discussion';
import { documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { notBlank } from '../field-facts';
import { noteBodyLimit } from './notes.routes';

const path = '/projects/:id/repository/commits/:sha/comments' as const;
const commit = (projectId: number, sha: string) => ({ projectId, target: { $case: 'commit' as const, value: sha } });

/** Comments on commits in the form of the commits API (G-4.6). */
export const commitCommentRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Commits',
    summary: 'List the comments on a commit',
    access: { project: 'read_code' },
    needsToken: true,
    path_params: { sha: text() },
    list: {},
    returns: { 200: ['CommitComment'] },
    handle: ({ path: at, access, page, call }) =>
      call(DiscussionServiceService).listCommitComments({ noteable: commit(access.id, at.sha), page }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Commits',
    summary: 'Comment on a commit',
    docs: { example: { note: 'A typo.', path: 'docs/usage.md', line: 3, line_type: 'new' } },
    access: { project: 'comment_on_code' },
    path_params: { sha: text() },
    params: {
      note: documented(text(), notBlank(1_000_000)),
      path: text().optional(),
      line: integer({ min: 0, max: 2_147_483_647 }).optional(),
      line_type: oneOf('new', 'old').optional(),
    },
    bodyLimit: noteBodyLimit,
    returns: { 201: 'CommitComment', 202: 'NoteCommands' },
    handle: ({ params, path: at, access, call }) =>
      call(DiscussionServiceService).createCommitComment({
        noteable: commit(access.id, at.sha),
        note: params.note,
        path: params.path ?? '',
        line: params.line ?? 0,
        lineType: params.line_type ?? '',
      }),
  }),
];
