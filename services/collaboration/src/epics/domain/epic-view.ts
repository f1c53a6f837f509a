import type { AttachedLabel, UserRow } from '@switchyard/directory';
import type { Epic } from './epic';

/** An epic with everything its public representation embeds, from one statement. */
export interface EpicView {
  readonly epic: Epic;
  readonly groupPath: string;
  /** Users by the id the row carries; a deleted user's id gives the ghost. */
  readonly people: ReadonlyMap<number, UserRow>;
  readonly labels: readonly AttachedLabel[];
  /** Its parent, where the viewer may see that. */
  readonly parent: { readonly id: number; readonly iid: number; readonly groupId: number } | undefined;
  /** The viewer may change it. */
  readonly editable: boolean;
}

/** `group&1`. */
export const epicReference = ({ groupPath, epic }: Pick<EpicView, 'groupPath' | 'epic'>): string =>
  `${groupPath}&${epic.iid}`;
