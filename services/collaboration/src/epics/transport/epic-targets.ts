import { notFound } from '@switchyard/errors';
import { type CallContext, viewerOf } from '@switchyard/rpc';
import type { EpicStore } from '../application/epic.ports';
import type { EpicView } from '../domain/epic-view';
import { epicUrl, presentEpic } from '../presenters/epic.presenter';

type Reader = Pick<CallContext, 'actor' | 'requestId'>;

/** An epic as it is shown to a reader. */
interface ShownEpic {
  readonly id: number;
  readonly iid: number;
  readonly projectId: 0;
  readonly groupId: number;
  /** Its public representation, JSON. */
  readonly json: Buffer;
  readonly webUrl: string;
  readonly title: string;
}

/** Shows epics that rows of others point at. */
export interface EpicTargets {
  /** Those of `ids` that the reader may read, by id: one statement. */
  byIds(ids: readonly number[], reader: Reader): Promise<Map<number, ShownEpic>>;
  /** The epic with a number. Fails with `not_found` when there is none that the reader may read. */
  find(groupId: number, iid: number, reader: Reader): Promise<ShownEpic>;
}

/** Epics as targets, as this service shows them. */
export function epicTargets(epics: Pick<EpicStore, 'view' | 'viewsByIds'>, externalUrl: string): EpicTargets {
  const shown = (view: EpicView): ShownEpic => {
    const { id, iid, groupId, title } = view.epic;
    const json = Buffer.from(JSON.stringify(presentEpic(view, { externalUrl, groupId })));
    return { id, iid, projectId: 0, groupId, title, json, webUrl: epicUrl(view, externalUrl) };
  };
  return {
    async byIds(ids, reader) {
      const found = ids.length === 0 ? [] : await epics.viewsByIds(ids, viewerOf(reader));
      return new Map(found.map((view) => [view.epic.id, shown(view)]));
    },
    async find(groupId, iid, reader) {
      const view = await epics.view({ groupId, iid }, viewerOf(reader));
      if (view === undefined) throw notFound();
      return shown(view);
    },
  };
}
