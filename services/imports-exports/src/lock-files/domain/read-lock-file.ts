import { type BomPart, linksOf } from '../../boms';
import { cargoLock, goMod, gradleLock, mavenPom, nugetLock } from './formats/compiled';
import { composerLock, npmLock, pnpmLock, yarnLock } from './formats/javascript';
import { bundlerLock, pipfileLock, pipRequirements, poetryLock, uvLock } from './formats/scripted';
import type { LockFormat, lockFileNames } from './lock-list';

const formats: Readonly<Record<(typeof lockFileNames)[number], LockFormat>> = {
  'package-lock.json': npmLock,
  'npm-shrinkwrap.json': npmLock,
  'yarn.lock': yarnLock,
  'pnpm-lock.yaml': pnpmLock,
  'requirements.txt': pipRequirements,
  'Pipfile.lock': pipfileLock,
  'poetry.lock': poetryLock,
  'uv.lock': uvLock,
  'go.mod': goMod,
  'Cargo.lock': cargoLock,
  'pom.xml': mavenPom,
  'gradle.lockfile': gradleLock,
  'composer.lock': composerLock,
  'Gemfile.lock': bundlerLock,
  'packages.lock.json': nugetLock,
};

/** Prefix of the properties by which a report says where it comes from, as scanners write it. */
const origin = 'gitlab:dependency_scanning';

/** Name within a lock file of what the project itself is. */
const root = '(project)';

/** The property of a list that names a file which could not be read. */
export const unreadable = (path: string): BomPart => ({
  kind: 'property',
  property: { name: 'switchyard:dependency_scanning:unreadable_file:path', value: path },
});

/**
 * What a lock file says, as a report of the same would say it. A file that is not of its kind gives a property that
 * names it, and nothing else.
 */
export function* readLockFile(path: string, text: string, isLicenseId: (text: string) => boolean): Generator<BomPart> {
  const format = formats[path.slice(path.lastIndexOf('/') + 1) as keyof typeof formats];
  let read: ReturnType<LockFormat['read']>;
  try {
    read = format.read(text, isLicenseId);
  } catch {
    yield unreadable(path);
    return;
  }
  const { packages, links } = read;
  yield { kind: 'property', property: { name: `${origin}:input_file:path`, value: path } };
  yield { kind: 'property', property: { name: `${origin}:language:name`, value: format.language } };
  yield { kind: 'property', property: { name: `${origin}:package_manager:name`, value: format.manager } };
  yield { kind: 'root', ref: root };
  for (const { ref, component } of packages) yield { kind: 'component', ref, component };
  for (const [ref, dependsOn] of links) yield* linksOf(ref, dependsOn);
  // What nothing else asks for is what the project asks for.
  const asked = new Set([...links.values()].flat());
  const roots = read.roots ?? packages.map(({ ref }) => ref).filter((ref) => !asked.has(ref));
  yield* linksOf(root, roots);
}
