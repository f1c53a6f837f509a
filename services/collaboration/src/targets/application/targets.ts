import type { CallContext } from '@switchyard/rpc';
import type { TargetType } from '../domain/target';

/** A target of a to-do as its owner shows it to the reader. */
export interface ShownTarget {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
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
  /** The target with a number. Fails with `not_found` when there is none that the reader may read. */
  find(projectId: number, iid: number, reader: TargetReader): Promise<ShownTarget>;
}

/** Types of target that are named by a number within a project. */
export type NumberedTargetType = 'MergeRequest' | 'Issue' | 'AlertManagement::Alert';

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
