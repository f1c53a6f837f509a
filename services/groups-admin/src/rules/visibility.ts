/** Who sees a group or project in addition to its members, narrowest first. */
export const visibilities = ['private', 'internal', 'public'] as const;

/** One of `visibilities`. */
export type Visibility = (typeof visibilities)[number];

/** True when `inner` is open to more people than `outer`, which nothing inside a group may be. */
export const isWider = (inner: Visibility, outer: Visibility): boolean =>
  visibilities.indexOf(inner) > visibilities.indexOf(outer);
