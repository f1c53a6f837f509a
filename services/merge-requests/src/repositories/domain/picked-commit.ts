/** Message of a commit that applies another one, or takes it back, as git writes it. */
export function pickedMessage(
  kind: 'cherry-pick' | 'revert',
  { id, title, message }: { readonly id: string; readonly title: string; readonly message: string },
): string {
  return kind === 'revert'
    ? `Revert "${title}"\n\nThis reverts commit ${id}.`
    : `${message.trimEnd()}\n\n(cherry picked from commit ${id})`;
}

/** GitLab's words for a commit that cannot be applied or taken back. */
export function pickRefusal(kind: 'cherry-pick' | 'revert'): string {
  const done = kind === 'revert' ? 'reverted' : 'cherry-picked';
  return `Sorry, we cannot ${kind} this commit automatically. This commit may already have been ${done}, or a more recent commit may have updated some of its content.`;
}
