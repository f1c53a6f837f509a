import { notFound } from '@switchyard/errors';
import { timeTrackingOf } from '@switchyard/texts';
import { type KeepCounters, type NoteableEditor, type NoteableResolver, noteableRules } from '../../noteables';
import type { IssueView } from '../domain/issue-view';
import { callerOf } from './caller';
import type { IssueEdges } from './issue.edges';
import type { IssueCounterStore } from './issue.ports';
import type { subscribeToIssue } from './subscribe-to-issue';
import type { trackIssueTime } from './track-issue-time';
import type { updateIssue } from './update-issue';

/** Issues as noteables, confidential ones for those alone who may see them. */
export const issueNoteables =
  ({ issues }: Pick<IssueEdges, 'issues'>, urlOf: (view: IssueView) => string): NoteableResolver<'Issue'> =>
  async ({ projectId, iid }, reader) => {
    const view = await issues.view({ projectId, iid }, callerOf(reader));
    if (view === undefined) throw notFound(noteableRules.Issue.thing);
    const { issue } = view;
    return {
      kind: 'Issue',
      projectId,
      targetId: issue.id,
      iid,
      sha: '',
      authorId: issue.authorId,
      assigneeIds: view.assigneeIds,
      title: issue.title,
      webUrl: urlOf(view),
      state: issue.state,
      confidential: issue.confidential,
      locked: issue.discussionLocked ?? false,
    };
  };

/** Keeps the counters of notes and reactions on the row of their object. */
export const keepCounters =
  (store: IssueCounterStore): KeepCounters =>
  (tx, { targetId }, counters, by) =>
    store.keep(tx, targetId, counters, by);

/** Use cases of issues that commands run. */
export interface IssueCommands {
  readonly updateIssue: ReturnType<typeof updateIssue>;
  readonly trackIssueTime: ReturnType<typeof trackIssueTime>;
  readonly subscribeToIssue: ReturnType<typeof subscribeToIssue>;
}

/** Changes issues in the name of the user who writes a quick action, by the rules of their endpoints. */
export const issueEditor =
  ({ updateIssue: update, trackIssueTime: track, subscribeToIssue: subscribe }: IssueCommands): NoteableEditor =>
  async (reader, { projectId, iid = 0 }, edit, { noteId, cause } = {}) => {
    const caller = callerOf(reader);
    const key = { projectId, iid };
    const tracking = timeTrackingOf(edit);
    if (edit.subscribed !== undefined) {
      await subscribe(caller, key, edit.subscribed);
    } else if (tracking !== undefined) {
      await track(caller, key, { ...tracking, noteId }, cause);
    } else {
      await update(caller, key, {
        title: edit.title,
        stateEvent: edit.stateEvent,
        assigneeIds: edit.assigneeIds,
        addAssigneeIds: edit.addAssigneeIds,
        removeAssigneeIds: edit.removeAssigneeIds,
        labels: edit.labels,
        addLabels: edit.addLabels ?? [],
        removeLabels: edit.removeLabels ?? [],
        milestoneId: edit.milestoneId,
        dueDate: edit.dueDate,
        confidential: edit.confidential,
        healthStatus: edit.healthStatus,
        discussionLocked: edit.locked,
        epic: edit.epic,
        strict: true,
      });
    }
  };
