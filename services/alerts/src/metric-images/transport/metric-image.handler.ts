import { MetricImageServiceService } from '@switchyard/protos/alerts/v1/metric_image';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  nothing,
  page,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { scopeOf } from '../../alerts';
import type { MetricImages } from '../application/manage-metric-images';
import { presentMetricImage } from '../presenters/metric-image.presenter';

/** Serves `MetricImageService`. */
export function metricImageHandler(images: MetricImages): ServiceImplementation {
  const alertOf = (context: CallContext, { projectId, alertIid }: { projectId: number; alertIid: number }) => ({
    projectId: scopeOf(context, projectId).projectId,
    iid: alertIid,
  });
  return implement(MetricImageServiceService, {
    async listMetricImages(request, context) {
      const at = alertOf(context, request);
      const wanted = fixedOrder(request.page, 'id', 'asc');
      const found = await images.list(at, wanted);
      return page(
        found.rows.map((image) => presentMetricImage(image, at)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },

    async updateMetricImage(request, context) {
      const at = alertOf(context, request);
      const { url, urlText } = request;
      return entity(presentMetricImage(await images.update(at, request.imageId, { url, urlText }), at));
    },

    async deleteMetricImage(request, context) {
      await images.remove(alertOf(context, request), request.imageId);
      return nothing();
    },
  });
}
