import type { Express } from 'express';

/** The path of a project, and of an upload below it; what begins with `api` or `-` is no path of a project. */
const belowProject = /^\/(?!api\/|-\/)([^/?]+(?:\/[^/?]+)+)\/uploads\/([0-9a-f]{32}\/[^/?]+)(?=\?|$)/;

/** Has a link below the path of a project, which older texts have, lead where `full_path` leads. */
export const projectUploads = (app: Express): void => {
  app.use((request, _response, next) => {
    const [matched = '', project = '', upload = ''] = belowProject.exec(request.url) ?? [];
    if (matched !== '') {
      request.url = `/-/project/${project.replaceAll('/', '%2F')}/uploads/${upload}${request.url.slice(matched.length)}`;
      // Of it the address is made to which a project that has moved leads.
      request.originalUrl = request.url;
    }
    next();
  });
};
