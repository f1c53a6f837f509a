import type { CallContext } from '@switchyard/rpc';
import type { TargetType } from '../domain/target';

/** A target of a to-do as its owner shows it to the reader. */
export interface ShownTarget {
  readonly id: number;
  readonly iid: number;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; undefined for every other type. */
  readonly groupId?: number;
  /** Its public representation, JSON. */
  readonly json: Buffer;
  readonly webUrl: string;
  readonly title: string;
}

/** The viewer, and the request within which targets are read. */
export type TargetReader = Pick<CallContext, 'actor' | 'requestId'>;

/** Shows one type of target. */
export interface ShownTargets {
  /** Those of `ids` that the reader may read, by id: one call, none for no ids. */
  byIds(ids: readonly number[], reader: TargetReader, withSubscribed: boolean): Promise<Map<number, ShownTarget>>;
}

/** The owner of a type of target that has numbers. */
export interface TargetOwner extends ShownTargets {
  /**
   * The target with a number in a project, or an epic in a group. Fails with `not_found` when there is none that the
   * reader may read.
   */
  find(placeId: number, iid: number, reader: TargetReader): Promise<ShownTarget>;
}

/** Types of target that are named by a number within a project or group. */
export type NumberedTargetType = 'MergeRequest' | 'Issue' | 'AlertManagement::Alert' | 'Epic';

/**
 * The owner of each type of target: a type that can be pointed at has a row here, and one in
 * storage/target.visibility.ts.
 */
export type TargetOwners = Readonly<
  Record<NumberedTargetType, TargetOwner> & Record<Exclude<TargetType, NumberedTargetType>, ShownTargets>
>;

/** Finds what some to-dos point at, as far as the reader may read it: one call for each type that occurs among them. */
export async function shownTargets(
  targets: TargetOwners,
  todos: readonly { readonly targetType: TargetType; readonly targetId: number }[],
  reader: TargetReader,
  withSubscribed: boolean,
): Promise<(todo: { readonly targetType: TargetType; readonly targetId: number }) => ShownTarget | undefined> {
  const types = [...new Set(todos.map(({ targetType }) => targetType))];
  const found = new Map(
    await Promise.all(
      types.map(async (type) => {
        const ids = todos.filter(({ targetType }) => targetType === type).map(({ targetId }) => targetId);
        return [type, await targets[type].byIds([...new Set(ids)], reader, withSubscribed)] as const;
      }),
    ),
  );
  return ({ targetType, targetId }) => found.get(targetType)?.get(targetId);
}
