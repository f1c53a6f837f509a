import { displayText, displayTextProblems } from '@switchyard/texts';
import { type AvatarChange, avatarProblems } from '../../avatars';
import { lengthProblems, note, refuse, taken } from '../../rules';

/** A topic as it is printed. */
export interface TopicRow {
  readonly id: number;
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  readonly avatar_url: string | null;
  /** Projects that are not marked for deletion. */
  readonly total_projects_count: number;
}

/** What is set on a topic; an absent field keeps its value. */
export interface TopicChange {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  /** Empty: none. */
  readonly description?: string | undefined;
  readonly avatar?: AvatarChange | undefined;
}

/** What a change of a topic depends on. */
export interface TopicFacts {
  /** Whether another topic has the name, in any case. */
  readonly nameTaken: boolean;
}

/** Which topics a list holds. */
export interface TopicFilter {
  readonly search?: string | undefined;
  readonly withoutProjects?: boolean | undefined;
  /** The one organization is 1; another has no topics. */
  readonly organizationId: number;
}

/** A topic to insert. */
export type NewTopic = TopicChange & { readonly name: string; readonly title: string };

/** Most characters of a description (G-8-7). */
const maxDescription = 1_024;

/**
 * A change of a topic as it is stored (G-4.16-1, G-4.16-2).
 * @throws AppError invalid with all problems
 */
export function checkTopic<T extends TopicChange>(change: T, { nameTaken }: TopicFacts): T {
  const problems = {};
  const { name, title } = change;
  if (name !== undefined) note(problems, 'name', displayTextProblems(name));
  if (nameTaken) note(problems, 'name', [taken]);
  if (title !== undefined) note(problems, 'title', displayTextProblems(title));
  note(problems, 'description', lengthProblems(change.description, maxDescription));
  note(problems, 'avatar', avatarProblems(change.avatar));
  refuse(problems);
  return {
    ...change,
    ...(name === undefined ? {} : { name: displayText(name) }),
    ...(title === undefined ? {} : { title: displayText(title) }),
  };
}
