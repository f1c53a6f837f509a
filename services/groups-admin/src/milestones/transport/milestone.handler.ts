import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { parentOf } from '../../parents';
import { given, some } from '../../wire';
import type { ManageMilestones } from '../application/manage-milestones';
import type { MilestoneChange } from '../domain/milestone-change';
import { presentMilestone } from '../presenters/milestone.presenter';

/** Milestones of an import in one request. */
const maxImported = 100;

/** MilestoneService. */
export const milestoneHandler = (milestones: ManageMilestones, externalUrl: string): ServiceImplementation =>
  implement(
    MilestoneServiceService,
    {
      listMilestones: async (request, context) => {
        const asked = fixedOrder(request.page, 'due_date', 'asc');
        const { rows, page: info } = await milestones.list(
          parentOf(request.parent),
          {
            iids: some(request.iids),
            state: given(request.state),
            title: given(request.title),
            search: given(request.search),
            above: request.includeAncestors,
            below: request.includeDescendants,
            viewer: viewerOf(context),
            updatedBefore: request.updatedBefore,
            updatedAfter: request.updatedAfter,
            containingDate: given(request.containingDate),
          },
          asked,
        );
        return page(
          rows.map((milestone) => presentMilestone(milestone, externalUrl)),
          { ...info, keyset: asked.mode === 'keyset' },
        );
      },

      getMilestone: async (request) =>
        entity(presentMilestone(await milestones.get(parentOf(request.parent), request.milestoneId), externalUrl)),

      createMilestone: async (request, { actor }) =>
        entity(
          presentMilestone(
            await milestones.create(
              parentOf(request.parent),
              {
                title: request.title,
                description: request.description,
                dueDate: given(request.dueDate),
                startDate: given(request.startDate),
              },
              actor.userId,
            ),
            externalUrl,
          ),
        ),

      updateMilestone: async (request, { actor }) =>
        entity(
          presentMilestone(
            await milestones.update(
              parentOf(request.parent),
              request.milestoneId,
              {
                title: request.title,
                description: request.description,
                dueDate: request.dueDate,
                startDate: request.startDate,
                stateEvent: given(request.stateEvent) as MilestoneChange['stateEvent'],
              },
              actor.userId,
            ),
            externalUrl,
          ),
        ),

      deleteMilestone: async (request, { actor }) => {
        await milestones.remove(parentOf(request.parent), request.milestoneId, actor.userId, request.ifUnmodifiedSince);
        return nothing(204);
      },

      importMilestones: async ({ projectId, milestones: given }) => ({
        imported: await milestones.import(
          projectId,
          given.slice(0, maxImported).map(({ closed, dueDate, createdAt, updatedAt, ...one }) => ({
            ...one,
            state: closed ? 'closed' : 'active',
            dueDate: dueDate || undefined,
            startDate: undefined,
            createdAt,
            updatedAt: updatedAt ?? createdAt ?? new Date(),
          })),
        ),
      }),
    },
    { importMilestones: { callers: ['imports-exports'] } },
  );
