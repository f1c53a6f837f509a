/**
 * Users that belong to the instance itself. They are found by type, since a user may already have their name: the ghost
 * replaces deleted users, the alert bot opens and closes incidents, placeholders stand for people of other forges. They cannot sign in, hold a token, become members
 * or be changed.
 */
export const internalUserTypes = ['ghost', 'alert_bot', 'placeholder'] as const;

/** Whether a user is one of the instance's own. */
export const isInternalUser = (userType: string): boolean =>
  (internalUserTypes as readonly string[]).includes(userType);
