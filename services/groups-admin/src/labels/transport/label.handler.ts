import { invalid } from '@switchyard/errors';
import { inlineRenderer } from '@switchyard/markdown';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { type Parent, parentOf } from '../../parents';
import { given } from '../../wire';
import type { ManageLabels } from '../application/manage-labels';
import type { LabelRow } from '../domain/label-row';
import { presentGroupLabel, presentProjectLabel } from '../presenters/label.presenter';

const keyOf = ({ label, byTitle }: { label: string; byTitle: boolean }) => (byTitle ? { title: label } : label);

/** What presents the labels of one reply. */
function presenterOf({ kind }: Parent) {
  const present = kind === 'group' ? presentGroupLabel : presentProjectLabel;
  const html = inlineRenderer();
  return (label: LabelRow) => present(label, html);
}

/** Titles in one request. */
const maxTitles = 1_000;

/** Labels of an import in one request. */
const maxImported = 100;

/** LabelService. */
export const labelHandler = (labels: ManageLabels): ServiceImplementation =>
  implement(
    LabelServiceService,
    {
      listLabels: async (request, context) => {
        const parent = parentOf(request.parent);
        const asked = fixedOrder(request.page, 'title', 'asc');
        const { rows, page: info } = await labels.list(
          parent,
          {
            search: given(request.search),
            above: request.includeAncestorGroups ?? true,
            below: request.includeDescendantGroups,
            ofProjects: request.onlyGroupLabels === false,
            viewer: viewerOf(context),
          },
          asked,
        );
        return page(rows.map(presenterOf(parent)), { ...info, keyset: asked.mode === 'keyset' });
      },

      getLabel: async (request, context) => {
        const parent = parentOf(request.parent);
        const above = request.includeAncestorGroups ?? true;
        return entity(presenterOf(parent)(await labels.get(parent, request.label, above, viewerOf(context))));
      },

      createLabel: async (request, context) => {
        const parent = parentOf(request.parent);
        const { name: title, color, description, priority } = request;
        const content = { title, color, description, priority };
        return entity(presenterOf(parent)(await labels.create(parent, content, viewerOf(context))));
      },

      updateLabel: async (request, context) => {
        const parent = parentOf(request.parent);
        const change = {
          title: request.newName,
          color: request.color,
          description: request.description,
          priority: request.removePriority ? null : request.priority,
        };
        const label = await labels.update(parent, keyOf(request), change, viewerOf(context));
        return entity(presenterOf(parent)(label));
      },

      deleteLabel: async (request) => {
        await labels.remove(parentOf(request.parent), keyOf(request), request.ifUnmodifiedSince);
        return nothing(204);
      },

      setLabelSubscription: async (request, context) => {
        const parent = parentOf(request.parent);
        const label = await labels.subscribe(parent, request.label, request.subscribed, viewerOf(context));
        return label === undefined ? nothing(304) : entity(presenterOf(parent)(label), 201);
      },

      importLabels: async ({ projectId, labels: given }) => ({
        imported: await labels.import(projectId, given.slice(0, maxImported)),
      }),

      ensureLabels: async (request) => {
        if (request.titles.length > maxTitles) {
          throw invalid({ labels: [`total must be less than or equal to ${maxTitles}`] });
        }
        const ensured = await labels.ensure(parentOf(request), request.titles, request.create);
        return {
          labels: ensured.labels.map(({ id, title, color, description }) => ({
            id,
            title,
            color,
            description: description ?? '',
          })),
          directorySequence: ensured.sequence,
        };
      },
    },
    {
      importLabels: { callers: ['imports-exports'] },
      ensureLabels: { callers: ['merge-requests', 'collaboration'], onBehalfOf: true },
    },
  );
