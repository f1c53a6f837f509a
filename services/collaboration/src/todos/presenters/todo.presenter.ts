import { projectReference, userReference } from '@switchyard/directory';
import { groupReference } from '../../targets';
import type { TodoRow } from '../domain/todo-row';

/** A to-do and what it points at, as the target's owner shows it. */
interface Item {
  readonly todo: TodoRow;
  readonly target: { readonly json: Buffer; readonly webUrl: string; readonly title: string };
}

const bytes = (text: string): Buffer => Buffer.from(text);

/**
 * The public to-do item (api.md section 2, G-2-23, G-4.9-4) as JSON. The target's finished representation is put in as
 * it came: parsing it only to write it again would cost as much as all the rest.
 */
export function todoJson({ todo, target }: Item, externalUrl: string): Buffer {
  const project = todo.project && projectReference(todo.project, externalUrl);
  const before = JSON.stringify({
    id: todo.id,
    project: project && {
      id: project.id,
      name: project.name,
      name_with_namespace: project.name_with_namespace,
      path: project.path,
      path_with_namespace: project.path_with_namespace,
    },
    group: todo.group && groupReference(todo.group, externalUrl),
    author: todo.author && userReference(todo.author, externalUrl),
    action_name: todo.action,
    target_type: todo.targetType,
  });
  const after = JSON.stringify({
    target_url: todo.noteId === undefined ? target.webUrl : `${target.webUrl}#note_${todo.noteId}`,
    body: todo.body ?? target.title,
    state: todo.state,
    created_at: todo.createdAt,
    updated_at: todo.updatedAt,
  });
  return Buffer.concat([bytes(`${before.slice(0, -1)},"target":`), target.json, bytes(`,${after.slice(1)}`)]);
}

/** To-do items as JSON, each rendered when it is taken: notes are long. */
export function* todoRows(todos: readonly Item[], externalUrl: string): Generator<Buffer> {
  for (const one of todos) yield todoJson(one, externalUrl);
}
