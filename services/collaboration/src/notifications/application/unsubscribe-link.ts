import type { UnsubscribeTokens, Unsubscription } from './unsubscribe-token';

/** A link that ends mail, and the headers by which programs of mail follow it with one click (RFC 8058). */
export interface UnsubscribeLink {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes links that end mail. */
export const unsubscribeLinks =
  ({ sign }: Pick<UnsubscribeTokens, 'sign'>, externalUrl: string) =>
  (ended: Unsubscription): UnsubscribeLink => {
    const url = `${externalUrl.replace(/\/+$/, '')}/-/unsubscribe?token=${sign(ended)}`;
    return {
      url,
      headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    };
  };
