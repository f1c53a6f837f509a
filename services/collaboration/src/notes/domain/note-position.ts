import { badRequest } from '@switchyard/errors';

/** Where a diff note stands (G-4.7-3). Without lines it is the whole file, or a place of an image. */
export interface NotePosition {
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  readonly positionType: 'text' | 'image' | 'file';
  readonly oldPath: string;
  readonly newPath: string;
  readonly oldLine?: number | undefined;
  readonly newLine?: number | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly x?: number | undefined;
  readonly y?: number | undefined;
  readonly lineRange?: unknown;
  /** The commit of a merge request in whose own diff it stands: it stays there whatever is pushed. */
  readonly commitId?: string | undefined;
}

/** A position as it was asked for. */
export type PositionInput = Omit<NotePosition, 'positionType' | 'lineRange' | 'commitId'> & {
  readonly positionType: string;
  /** JSON; empty for none. */
  readonly lineRange: string;
};

/** Characters a range of lines may take. */
const maxLineRange = 4_096;

/** The refusal of a position that is none. */
export const invalidPosition = () =>
  badRequest('Note {:line_code=>["can\'t be blank", "must be a valid line code"], :position=>["is invalid"]}');

/**
 * A position as it is kept: one path stands for both, lines for text alone. Fails with `bad_request` where something is
 * missing.
 * @param commitId the commit of a merge request that the position is about; must be the newer side of its diff
 */
export function toPosition(input: PositionInput, commitId?: string): NotePosition {
  const { positionType, lineRange, oldLine, newLine, width, height, x, y, ...rest } = input;
  if (positionType !== 'text' && positionType !== 'image' && positionType !== 'file') throw invalidPosition();
  const [oldPath, newPath] = [rest.oldPath || rest.newPath, rest.newPath || rest.oldPath];
  if (commitId !== undefined && commitId !== rest.headSha) throw invalidPosition();
  if (oldPath === '' || lineRange.length > maxLineRange) throw invalidPosition();
  if (positionType === 'text' && oldLine === undefined && newLine === undefined) throw invalidPosition();
  const lines = positionType === 'text' ? { oldLine, newLine } : {};
  const image = positionType === 'image' ? { width, height, x, y } : {};
  const range = lineRange === '' || positionType !== 'text' ? {} : { lineRange: JSON.parse(lineRange) };
  const commit = commitId === undefined ? {} : { commitId };
  return { ...rest, positionType, oldPath, newPath, ...lines, ...image, ...range, ...commit };
}
