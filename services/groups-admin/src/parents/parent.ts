/** A project or group: where labels, milestones and members are. */
export interface Parent {
  kind: 'project' | 'group';
  id: number;
}
