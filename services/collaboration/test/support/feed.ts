import { sql } from '@switchyard/database/sql';
import { EventFilter } from '@switchyard/protos/collaboration/v1/event';
import type { DirectoryProject } from '@switchyard/protos/groups_admin/v1/directory';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import type { Installation } from './installation';

/** An event as it is printed. */
// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
export type Item = any;
/** The viewer; undefined: an anonymous one. */
export type Reader = { id: number; admin?: boolean } | undefined;

const pageOf = (given: Partial<PageRequest>) =>
  PageRequest.fromPartial({ page: 1, perPage: 20, descending: true, ...given });

/** What happened, in the order of the feed. */
export const names = (items: Item[]): string[] => items.map((item) => item.action_name);

/** The feeds of an installation, as readers get them. */
export function feedOf(here: () => Installation) {
  async function own(reader: Reader, filter: Partial<EventFilter> = {}, allProjects = false) {
    const request = { filter: EventFilter.fromPartial(filter), page: pageOf({}), allProjects };
    const reply = await here().events.listEvents(request, here().as(reader));
    return JSON.parse(reply.json.toString()) as Item[];
  }

  async function ofUser(user: string, reader: Reader) {
    const reply = await here().events.listUserEvents({ user, filter: undefined, page: pageOf({}) }, here().as(reader));
    return JSON.parse(reply.json.toString()) as Item[];
  }

  async function ofProject(
    project: DirectoryProject,
    reader: Reader,
    filter: Partial<EventFilter> = {},
    page: Partial<PageRequest> = {},
  ) {
    const request = { projectId: project.id, filter: EventFilter.fromPartial(filter), page: pageOf(page) };
    const reply = await here().events.listProjectEvents(request, here().as(reader));
    return { items: JSON.parse(reply.json.toString()) as Item[], page: reply.page! };
  }

  /** Waits until the feed has taken note of an event. */
  const received = (id: string) =>
    eventually(async () => {
      const rows = await here().db.query(
        sql`select 1 from events.inbox where event_id = ${id} and consumer_group = 'collaboration.activity'`,
      );
      expect(rows).toHaveLength(1);
    });

  return { own, ofUser, ofProject, received };
}
