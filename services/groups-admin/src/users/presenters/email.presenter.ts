import type { EmailRow } from '../domain/email';

/** An e-mail record. */
export const presentEmail = ({ id, email, confirmed_at }: EmailRow) => ({
  id,
  email,
  confirmed_at: confirmed_at?.toISOString() ?? null,
});
