import { documented, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { managerRead, managerWrite, toPackages } from './registry';

const section = 'Packages';
const path = '/projects/:id/packages/helm' as const;
const channel = documented(text(), {
  minLength: 1,
  maxLength: 255,
  description: 'Name of the channel, such as `stable`: letters and digits, with single `.`, `-` and `_` between them.',
});

/** Helm charts by channels (G-4.17-12). */
export const helmRoutes = [
  defineRoute({
    method: 'post',
    path: `${path}/api/:channel/charts`,
    section,
    summary: 'Publish a Helm chart',
    docs: {
      description:
        'The form of publishing tools such as `helm cm-push`, with a chart of at most 5 MiB. Its Chart.yaml names it. A version that is there already stays; the new one is served from then on.',
      fails: [408, 413],
    },
    access: { project: 'create_package' },
    ...managerWrite,
    upload: 'chart',
    path_params: { channel },
    returns: { 201: 'PublishedHelmChart' },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'helm', at.channel, 'charts']),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/:channel/index.yaml`,
    section,
    summary: 'Get the index of the Helm charts of a channel',
    docs: { description: 'Up to 10,000 charts; one without any where there are none.', contentTypes: ['text/yaml'] },
    access: { project: 'read_package' },
    ...managerRead,
    path_params: { channel },
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'helm', at.channel, 'index']),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/:channel/charts/:file_name`,
    section,
    summary: 'Download a Helm chart',
    docs: { contentTypes: ['application/octet-stream'] },
    access: { project: 'read_package' },
    ...managerRead,
    path_params: {
      channel,
      file_name: documented(text(), { minLength: 1, maxLength: 255, description: 'Its name, with `.tgz`.' }),
    },
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'helm', at.channel, 'charts', at.file_name]),
  }),
];
