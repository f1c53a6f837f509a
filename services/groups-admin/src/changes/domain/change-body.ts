/** A part of a hook body that names a project. */
interface ProjectPart {
  id?: unknown;
  description?: unknown;
}

/**
 * Finishes a hook body: `change` says where it stands in the feed. The descriptions of projects, which other services
 * do not know, are added where they are missing.
 * @param json one JSON object, as its owner rendered it
 * @param descriptions by id of the project
 */
export function finishBody(json: string, position: number, descriptions: ReadonlyMap<number, string>): string {
  const body = JSON.parse(json) as { project?: ProjectPart; repository?: ProjectPart };
  const description = descriptions.get(Number(body.project?.id));
  if (description !== undefined) {
    if (body.project !== undefined) body.project.description ??= description;
    if (body.repository !== undefined) body.repository.description ??= description;
  }
  return JSON.stringify({ ...body, change: { position, cursor: cursorOf(position) } });
}

/** The cursor of the feed after a position. */
export const cursorOf = (position: number): string => String(position);
