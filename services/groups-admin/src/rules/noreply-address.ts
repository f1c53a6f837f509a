/** E-mail of a user that has none of its own, such as a bot: no mail ever arrives there. */
export const noreplyAddress = (username: string, host: string): string => `${username}@noreply.${host}`;
