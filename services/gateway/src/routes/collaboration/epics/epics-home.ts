/** Where epics lie: each of their endpoints has both paths (G-4.18-5). */
export const epicsHome = { path: '/groups/:id/epics', otherPath: '/groups/:id/-/epics' } as const;
