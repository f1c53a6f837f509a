/**
 * Branches of a project that a user may push to although they are no member who could: merge requests are open from
 * them that let those push who may merge there (`allow_collaboration`). Merge requests answer it.
 */
export type CollaboratesOn = (projectId: number, userId: number) => Promise<ReadonlySet<string>>;
