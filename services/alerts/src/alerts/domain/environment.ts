/** An environment of a project. */
export interface Environment {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
  readonly createdAt: Date;
}
