import { projectUrl } from '@switchyard/directory';
import type { NoteableSubject, NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { levels } from '@switchyard/rights';
import { commitName, type HookFacts, type HookSnippet } from '../domain/hook-facts';
import { epicAudience, epicPart } from './epic-part';
import type { HookDraft } from './hook-draft';
import { issuePart } from './issue-part';

/** What a body says of what carries the note, and who may read it. */
export interface NoteablePart
  extends Pick<
    HookDraft,
    'groupId' | 'feature' | 'objectKey' | 'confidential' | 'leastLevel' | 'authorId' | 'audienceIds'
  > {
  readonly part: Readonly<Record<string, unknown>>;
}

const open = { confidential: false, leastLevel: 0, authorId: 0, audienceIds: [] } as const;

const snippetPart = (snippet: HookSnippet, url: string) => ({
  id: snippet.id,
  title: snippet.title,
  description: snippet.description,
  content: snippet.content,
  file_name: snippet.path,
  author_id: snippet.author_id,
  project_id: snippet.project_id,
  created_at: snippet.created_at,
  updated_at: snippet.updated_at,
  type: 'ProjectSnippet',
  visibility: snippet.visibility,
  url,
});

/** The merge request as the event knows it: what there is of one that is gone, and while its owner does not answer. */
const mergeRequestPart = ({ id, iid, projectId, authorId, title, webUrl }: NoteableSubject) => ({
  id,
  iid,
  title,
  author_id: authorId,
  target_project_id: projectId,
  url: webUrl,
});

function epicNoteable(noteable: NoteableSubject, facts: HookFacts, externalUrl: string): NoteablePart | undefined {
  const [epic, group] = [facts.epics.get(noteable.id), facts.groups.get(noteable.groupId)];
  if (epic === undefined || group === undefined) return undefined;
  const part = { epic: epicPart(epic, group, facts, externalUrl) };
  return { ...epicAudience(epic, epic.confidential || noteable.confidential), part };
}

/** The part of what carries a note (G-6-4); undefined where it is gone. */
export function noteablePart({ noteable }: NoteEvent, facts: HookFacts, externalUrl: string): NoteablePart | undefined {
  if (noteable?.kind === 'Epic') return epicNoteable(noteable, facts, externalUrl);
  const project = facts.projects.get(noteable?.projectId ?? 0);
  if (noteable === undefined || project === undefined) return undefined;
  switch (noteable.kind) {
    case 'Issue': {
      const issue = facts.issues.get(noteable.id);
      if (issue === undefined) return undefined;
      const confidential = issue.confidential || noteable.confidential;
      const readers = confidential
        ? { leastLevel: levels.planner, authorId: issue.author_id, audienceIds: issue.assignee_ids }
        : open;
      const part = { issue: issuePart(issue, project, facts, externalUrl) };
      return { ...open, ...readers, confidential, feature: 'issues', objectKey: `issue:${issue.id}`, part };
    }
    case 'MergeRequest': {
      const part = {
        merge_request: facts.parts.mergeRequests.get(noteable.id) ?? mergeRequestPart(noteable),
      };
      return { ...open, feature: 'merge_requests', objectKey: `merge_request:${noteable.id}`, part };
    }
    case 'Snippet': {
      const snippet = facts.snippets.get(noteable.id);
      if (snippet === undefined) return undefined;
      const url = `${projectUrl(project, externalUrl)}/-/snippets/${snippet.id}`;
      const leastLevel = snippet.visibility === 'public' ? 0 : levels.guest;
      const part = { snippet: snippetPart(snippet, url) };
      return { ...open, leastLevel, feature: 'snippets', objectKey: `snippet:${snippet.id}`, part };
    }
    case 'Commit': {
      const { sha, title, webUrl } = noteable;
      const named = { id: sha, title, message: title, url: webUrl };
      const part = { commit: facts.parts.commits.get(commitName(noteable)) ?? named };
      return { ...open, feature: 'repository', objectKey: `commit:${noteable.projectId}:${sha}`, part };
    }
    default:
      return undefined;
  }
}
