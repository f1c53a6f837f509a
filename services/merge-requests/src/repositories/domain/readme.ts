const readme = /^readme(?:\.([a-z]+))?$/i;

/** Extensions of a README, best first: what is shown as it was meant, before what is shown as plain text. */
const extensions = [
  'md',
  'markdown',
  'mdown',
  'mkd',
  'mkdn',
  'adoc',
  'asciidoc',
  'asc',
  'rst',
  'org',
  'textile',
  'creole',
  'rdoc',
  'wiki',
  'mediawiki',
  'pod',
  'txt',
];

function rankOf(name: string): number | undefined {
  const found = readme.exec(name);
  if (found === null) return undefined;
  if (found[1] === undefined) return extensions.length;
  const rank = extensions.indexOf(found[1].toLowerCase());
  return rank < 0 ? undefined : rank;
}

/** The README among the names of the files of a folder, in any case of letters; undefined when there is none. */
export function readmeOf(names: readonly string[]): string | undefined {
  return names
    .map((name) => ({ name, rank: rankOf(name) }))
    .filter((one): one is { name: string; rank: number } => one.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)[0]?.name;
}
