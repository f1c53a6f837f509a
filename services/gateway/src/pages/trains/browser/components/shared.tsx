import { type ComponentChildren, h } from '../libs/preact.js';
import { linkTo, relative, shortSha } from '../words.ts';

/** A point in time: relative, with the exact one for who points at it. */
export const When = ({ at, now, words = relative }: { at: string; now: number; words?: typeof relative }) => (
  <time dateTime={at} title={new Date(at).toLocaleString()}>
    {words(Date.parse(at), now)}
  </time>
);

/** A day, as `2026-11-22`. */
export const Day = ({ date }: { date: string }) => (
  <time dateTime={date}>
    {new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' })}
  </time>
);

/** A link where the address may be followed, else the text alone. */
export const Away = ({ to, children }: { to: string | null | undefined; children: ComponentChildren }) => {
  const address = linkTo(to);
  return address === undefined ? (
    <span>{children}</span>
  ) : (
    <a href={address} rel="noopener noreferrer">
      {children}
    </a>
  );
};

/** The name of a commit, cut; whole for who points at it. */
export const Commit = ({ sha }: { sha: string | null | undefined }) =>
  sha === null || sha === undefined ? <span class="none">–</span> : <code title={sha}>{shortSha(sha)}</code>;
