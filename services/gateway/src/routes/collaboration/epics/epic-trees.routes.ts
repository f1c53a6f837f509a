import { EpicTreeServiceService } from '@switchyard/protos/collaboration/v1/epic_tree';
import { atLeastOne } from '../../../http/check-parameters';
import { boolean, documented, integer, text } from '../../../http/params';
import { alsoBelow, defineRoute } from '../../../http/route';
import { oneLine } from '../../field-facts';
import { epicsHome } from './epics-home';

/** Path of an epic. */
const onePath = `${epicsHome.path}/:epic_iid` as const;

/** What names an epic in a path. */
const epic = { epic_iid: integer() };

const read = { section: 'Epics', access: { group: 'read_epic' }, needsToken: true } as const;
const write = { section: 'Epics', access: { group: 'manage_epic' } } as const;

const neighbours = {
  params: { move_before_id: integer({ min: 1 }).optional(), move_after_id: integer({ min: 1 }).optional() },
  relations: [atLeastOne('move_before_id', 'move_after_id')],
};

const neighboursOf = (params: { move_before_id?: number | undefined; move_after_id?: number | undefined }) => ({
  moveBeforeId: params.move_before_id ?? 0,
  moveAfterId: params.move_after_id ?? 0,
});

const refOf = (access: { id: number }, path: { epic_iid: number }) => ({ groupId: access.id, iid: path.epic_iid });

/** Issues and child epics of epics, and how far these are (api.md 4.18). */
export const epicTreeRoutes = [
  defineRoute({
    ...read,
    method: 'get',
    path: `${onePath}/issues`,
    summary: 'List the issues of an epic',
    tier: 'premium',
    path_params: epic,
    list: { orderBy: [] },
    returns: { 200: ['EpicIssue'] },
    handle: ({ path, access, page, call }) =>
      call(EpicTreeServiceService).listEpicIssues({ epic: refOf(access, path), page }),
  }),
  defineRoute({
    ...write,
    method: 'post',
    path: `${onePath}/issues/:epic_issue_id`,
    summary: 'Assign an issue to an epic',
    docs: { description: 'Make an issue part of an epic, by its id. One of another epic is moved.', fails: [400, 409] },
    tier: 'premium',
    // The name that the other operations of the path use, where it is the id of a link.
    path_params: { ...epic, epic_issue_id: documented(integer(), { description: 'Id of the issue.' }) },
    returns: { 201: 'EpicIssueLink' },
    handle: ({ path, access, call }) =>
      call(EpicTreeServiceService).assignEpicIssue({ epic: refOf(access, path), issueId: path.epic_issue_id }),
  }),
  defineRoute({
    ...write,
    method: 'delete',
    path: `${onePath}/issues/:epic_issue_id`,
    summary: 'Remove an issue from an epic',
    docs: { description: 'Take an issue out of an epic, by the id of the link. The issue is kept.' },
    tier: 'premium',
    path_params: { ...epic, epic_issue_id: integer() },
    returns: { 200: 'EpicIssueLink' },
    handle: ({ path, access, call }) =>
      call(EpicTreeServiceService).removeEpicIssue({ epic: refOf(access, path), epicIssueId: path.epic_issue_id }),
  }),
  defineRoute({
    ...write,
    method: 'put',
    path: `${onePath}/issues/:epic_issue_id`,
    summary: 'Move an issue within an epic',
    docs: {
      description:
        'Move an issue behind the one with `move_before_id`, or before the one with `move_after_id`: both are ids of links. Answers the first hundred issues.',
      fails: [400],
    },
    tier: 'premium',
    path_params: { ...epic, epic_issue_id: integer() },
    ...neighbours,
    returns: { 200: ['EpicIssue'] },
    handle: ({ params, path, access, call }) =>
      call(EpicTreeServiceService).moveEpicIssue({
        epic: refOf(access, path),
        epicIssueId: path.epic_issue_id,
        neighbours: neighboursOf(params),
      }),
  }),
  defineRoute({
    ...read,
    method: 'get',
    path: `${onePath}/epics`,
    summary: 'List the child epics of an epic',
    docs: { description: 'All child epics in their order; the list is not paginated (G-1-26).' },
    tier: 'ultimate',
    path_params: epic,
    returns: { 200: ['EpicListed'] },
    handle: ({ path, access, call }) => call(EpicTreeServiceService).listChildEpics({ epic: refOf(access, path) }),
  }),
  defineRoute({
    ...write,
    method: 'post',
    path: `${onePath}/epics`,
    summary: 'Create a child epic',
    docs: { description: 'Create an epic in the same group and below this one.', fails: [400] },
    tier: 'ultimate',
    path_params: epic,
    params: { title: documented(text({ notEmpty: true }), oneLine), confidential: boolean().optional() },
    returns: { 201: 'LinkedEpic' },
    handle: ({ params, path, access, call }) =>
      call(EpicTreeServiceService).createChildEpic({
        epic: refOf(access, path),
        title: params.title,
        confidential: params.confidential,
      }),
  }),
  defineRoute({
    ...write,
    method: 'post',
    path: `${onePath}/epics/:child_epic_id`,
    summary: 'Assign a child epic',
    docs: { description: 'Put an epic, by its id, below this one.', fails: [400, 409] },
    tier: 'ultimate',
    path_params: { ...epic, child_epic_id: integer() },
    returns: { 201: 'EpicListed' },
    handle: ({ path, access, call }) =>
      call(EpicTreeServiceService).assignChildEpic({ epic: refOf(access, path), childEpicId: path.child_epic_id }),
  }),
  defineRoute({
    ...write,
    method: 'put',
    path: `${onePath}/epics/:child_epic_id`,
    summary: 'Move a child epic within its parent',
    docs: {
      description:
        'Move a child epic behind the one with `move_before_id`, or before the one with `move_after_id`: both are ids of child epics.',
      fails: [400],
    },
    tier: 'ultimate',
    path_params: { ...epic, child_epic_id: integer() },
    ...neighbours,
    returns: { 200: ['EpicListed'] },
    handle: ({ params, path, access, call }) =>
      call(EpicTreeServiceService).moveChildEpic({
        epic: refOf(access, path),
        childEpicId: path.child_epic_id,
        neighbours: neighboursOf(params),
      }),
  }),
  defineRoute({
    ...write,
    method: 'delete',
    path: `${onePath}/epics/:child_epic_id`,
    summary: 'Remove a child epic',
    docs: { description: 'Take an epic out of its parent. The epic is kept.' },
    tier: 'ultimate',
    path_params: { ...epic, child_epic_id: integer() },
    returns: { 200: 'EpicListed' },
    handle: ({ path, access, call }) =>
      call(EpicTreeServiceService).removeChildEpic({ epic: refOf(access, path), childEpicId: path.child_epic_id }),
  }),
  defineRoute({
    ...read,
    method: 'get',
    path: `${onePath}/progress`,
    summary: 'Get the progress of an epic',
    docs: {
      description:
        'Issues, the sums of their weights, and epics below an epic, open and closed: in all, and by child epic with all that is below it. What the caller may not see is not counted.',
    },
    tier: 'premium',
    path_params: epic,
    returns: { 200: 'EpicProgress' },
    handle: ({ path, access, call }) => call(EpicTreeServiceService).getEpicProgress({ epic: refOf(access, path) }),
  }),
].map(alsoBelow(epicsHome));
