import type { ServiceAccountRow } from '../domain/service-account';

/** A service account (api.md 2, G-2-26). `unconfirmed_email` stands while a change waits for its confirmation. */
export const presentServiceAccount = ({ unconfirmed_email, ...account }: ServiceAccountRow) => ({
  id: account.id,
  username: account.username,
  name: account.name,
  email: account.email,
  public_email: account.public_email,
  ...(unconfirmed_email === null ? {} : { unconfirmed_email }),
});
