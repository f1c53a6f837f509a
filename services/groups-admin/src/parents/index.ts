/** The project or group that a label, a milestone or a membership belongs to. */
export type { Parent } from './parent';
export { groupsBelow, groupsOf, parentColumn, projectsIn } from './parent.sql';
export { parentOf } from './wire-parent';
