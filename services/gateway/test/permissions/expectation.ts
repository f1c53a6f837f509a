/**
 * Who may do what: written from the specification, not from the route table. A cell per role and visibility:
 * `.` the request reaches the service, `1` is 401, `3` is 403, `4` is 404.
 *
 * The columns, in order. `blocked` and `expired` are Owners whose account or token is spent; `read_api` is an Owner
 * whose token has that scope alone. An administrator is no member.
 */
export const roles = [
  'anonymous',
  'outsider',
  'guest',
  'planner',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
  'blocked',
  'expired',
  'read_api',
] as const;

/** Cells of a family of operations on a project or group, by its visibility. */
export interface Family {
  readonly public: string;
  readonly internal: string;
  readonly private: string;
}

/** Cells of an operation that names no project or group. */
export interface Plain {
  readonly plain: string;
}

// G-5-2, G-5-3, G-5-6: a spent token is refused everywhere. G-5-5: read_api writes nothing. G-5-15: unseen is 404, seen but not
// allowed 403. G-1-11 and 5.2 of the specification: writing needs a token before anything else is said.
const families = {
  /** api.md 5.2: public projects and groups need no token. */
  openRead: { public: '.........31.', internal: '4........31.', private: '44.......31.' },
  /** Code, merge requests and pipelines of a private project are for Reporters and above. */
  reporterRead: { public: '.........31.', internal: '4........31.', private: '4433.....31.' },
  /** The same for package managers: without a token they are asked for one, whether the project is there or not. */
  managerRead: { public: '.........31.', internal: '1........31.', private: '1433.....31.' },
  /** The same of a group, in which the service finds what the caller may read. */
  groupManagerRead: { public: '.........31.', internal: '1........31.', private: '14.......31.' },
  developerRead: { public: '13333....31.', internal: '43333....31.', private: '44333....31.' },
  /** Every user who reads merge requests; the service decides on authorship (G-4.2-7). */
  readerWrite: { public: '1........313', internal: '1........313', private: '1433.....313' },
  /** Notes are for those who are logged in, wherever the object itself is open to all (G-4.6). */
  readerNotes: { public: '1........31.', internal: '1........31.', private: '1433.....31.' },
  /** The same on issues, which Guests read. */
  seerNotes: { public: '1........31.', internal: '1........31.', private: '14.......31.' },
  /** The same on alerts, which Developers read. */
  developerNotes: { public: '13333....31.', internal: '13333....31.', private: '14333....31.' },
  /** Every user who sees the project; the service decides on the rest. */
  seerWrite: { public: '1........313', internal: '1........313', private: '14.......313' },
  reporterWrite: { public: '1333.....313', internal: '1333.....313', private: '1433.....313' },
  plannerWrite: { public: '133......313', internal: '133......313', private: '143......313' },
  developerWrite: { public: '13333....313', internal: '13333....313', private: '14333....313' },
  /**
   * A write on what a path without a project names, which the service decides: those who may not read it find nothing
   * (G-5-15).
   */
  locatedWrite: { public: '1........313', internal: '1........313', private: '1444.....313' },
  /**
   * What Developers do to what a path without a project names: those who may not read it find nothing (G-5-15).
   * Anonymous callers are asked for a token first.
   */
  locatedDeveloper: { public: '13333....313', internal: '13333....313', private: '14443....313' },
  /** The same of what is read. */
  locatedDeveloperRead: { public: '13333....31.', internal: '13333....31.', private: '14333....31.' },
  /** A write of Owners. */
  locatedOwner: { public: '1333333..313', internal: '1333333..313', private: '1433333..313' },
  maintainerWrite: { public: '133333...313', internal: '133333...313', private: '143333...313' },
  maintainerRead: { public: '133333...31.', internal: '433333...31.', private: '443333...31.' },
  ownerRead: { public: '1333333..31.', internal: '4333333..31.', private: '4433333..31.' },
  ownerWrite: { public: '1333333..313', internal: '1333333..313', private: '1433333..313' },
  /** A member may leave, so every user who sees the members gets as far as the service. */
  memberWrite: { public: '1........313', internal: '1........313', private: '14.......313' },
  /** Every list and document that needs no token. */
  everyone: { plain: '.........31.' },
  userRead: { plain: '1........31.' },
  /** Any scope will do on one's own token. */
  userSelf: { plain: '1........31.' },
  userWrite: { plain: '1........313' },
  adminRead: { plain: '13333333.313' },
  adminWrite: { plain: '13333333.313' },
  /** What administrators alone do, on a project or group: others are refused before it is looked up. */
  adminOfTarget: { public: '13333333.313', internal: '13333333.313', private: '13333333.313' },
} as const satisfies Record<string, Family | Plain>;

export type FamilyName = keyof typeof families;

/** One operation: verb and path, its family, the rule it comes from, and parameters without which it is 400. */
export interface Expectation {
  readonly operation: string;
  readonly family: FamilyName;
  readonly rule: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Operations on what belongs to a feature of a project that has an access level of its own. */
const ofFeature =
  /^\w+ \/projects\/:id\/(issues|issues_statistics|merge_requests|merge_trains|approvals|approval_rules|repository|pipelines?|statuses|jobs|releases|environments|deployments|protected_branches|protected_tags|alert_management|alert_management_alerts|snippets|packages|milestones\/:milestone_id\/(issues|merge_requests))(\/|$)/;

/** What makes a file names it before: clients would take 404 for leave to make it. */
const createsNamed: ReadonlySet<string> = new Set([
  'POST /projects/:id/repository/files/:file_path',
  'PUT /projects/:id/packages/generic/:package_name/:package_version/*file_path',
  'PUT /projects/:id/packages/maven/*path',
  'PUT /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag',
]);

/** Whether a path of a project names an object in a feature that has to be there. */
export const isOfObject = (operation: string): boolean => /:id\/.*:/.test(operation) && !createsNamed.has(operation);

/**
 * The cells of a public project whose features are for its members: what is in a feature is not there for others (G-5-15), whether it is or
 * not; the feature itself is seen, but closed. That a token is wanted is said before.
 */
function closedCells(operation: string, open: string): string {
  if (!ofFeature.test(operation)) return open;
  const wantsToken =
    !operation.startsWith('GET ') || /\/(notes|draft_notes|discussions|award_emoji|comments)(\/|$)/.test(operation);
  const namesObject = isOfObject(operation);
  const anonymous = namesObject && !wantsToken ? '4' : '1';
  return `${anonymous}${namesObject ? '4' : '3'}${open.slice(2)}`;
}

/** What reads the packages of a project. */
export const readsPackages =
  /^(GET \/projects\/:id\/packages(?!\/(cleanup|protection)\/)|POST \/projects\/:id\/packages\/npm\/-\/npm\/)/;

/** Cells of an operation in a visibility; of operations on no project or group there are those of `public` alone. */
export function cellsOf(
  { operation, family }: Expectation,
  visibility: keyof Family | 'closed' | 'registry',
): string | undefined {
  const cells: Family | Plain = families[family];
  if ('plain' in cells) return visibility === 'public' ? cells.plain : undefined;
  // G-4.17-8: everybody reads the packages, and of all else nothing more than of any private project.
  if (visibility === 'registry') {
    if (!operation.includes(' /projects/')) return undefined;
    return readsPackages.test(operation) ? cells.public : cells.private;
  }
  if (visibility !== 'closed') return cells[visibility];
  if (family === 'locatedOwner') return undefined;
  if (family === 'locatedWrite' || family === 'locatedDeveloper') return `14${cells.public.slice(2)}`;
  return operation.includes(' /projects/') ? closedCells(operation, cells.public) : undefined;
}

/** A row of a table. */
export const row = (
  operation: string,
  family: FamilyName,
  rule: string,
  parameters?: Record<string, unknown>,
): Expectation => ({
  operation,
  family,
  rule,
  ...(parameters === undefined ? {} : { parameters }),
});
