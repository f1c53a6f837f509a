import { AppError } from '@switchyard/errors';
import { anonymous, type ForwardedCall, type ForwardedEndpoint, readUploadForm } from '@switchyard/rpc';
import { type ImportedProject, presentImport } from '../../project-imports';
import type { ArchiveImports } from '../application/start-import';
import { readForm } from '../domain/archive-form';

/** Milliseconds of an upload; its blob is renewed on the way. */
const uploadTimeoutMs = 7_200_000;

/** Fields of a form, of which most are settings. */
const maxFields = 200;

/** Archives on the internal HTTP port; they stream. */
export const archiveImportHttp = (imports: ArchiveImports, limit: number): readonly ForwardedEndpoint[] => [
  {
    methods: ['POST'],
    target: 'instance',
    path: /^\/project_imports$/,
    async run({ request, response, claims }: ForwardedCall): Promise<void> {
      const { userId, admin, external } = claims.actor ?? anonymous;
      const requestId = String(request.headers['x-request-id'] ?? '');
      let project: ImportedProject | undefined;
      const rules = { fileField: 'file', file: limit, timeoutMs: uploadTimeoutMs, fields: maxFields };
      const fields = await readUploadForm(request, rules, async (_, content, given) => {
        const form = given.then(readForm);
        // It is awaited when the file was stored.
        form.catch(() => undefined);
        const author = { userId, admin, external };
        project = await imports.receive({ author, address: claims.address, requestId, content, form });
      });
      if (project === undefined) {
        readForm(fields);
        throw new AppError('invalid_params', { error: 'file is missing' });
      }
      const body = Buffer.from(JSON.stringify(presentImport({ project, import: undefined, stages: [], failures: [] })));
      response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }).end(body);
    },
  },
];
