import { blobRemains, pruneBlobs } from '@switchyard/blobs';
import { faultPoint } from '@switchyard/events';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { manageMetricImages } from './application/manage-metric-images';
import { metricImageStore } from './storage/metric-image.store';
import { metricImageHandler } from './transport/metric-image.handler';
import { metricImageHttp } from './transport/metric-image.http';

/** Builds images of metrics. */
export function composeMetricImages({ db, config, blobs, observe }: Edges): Area {
  const images = metricImageStore(db);
  const remains = blobRemains(db);
  let sweeper: ReturnType<typeof pruneBlobs> | undefined;
  const limit = config.SWITCHYARD_METRIC_IMAGE_LIMIT;
  const useCases = observe('metric_images', {
    ...manageMetricImages({ db, images, blobs, remains, limit, pruneSoon: () => sweeper?.soon() }),
  });
  return {
    services: [metricImageHandler(useCases)],
    http: metricImageHttp(useCases, limit),
    start: () => {
      sweeper = pruneBlobs({ db, remains, blobs, swept: () => faultPoint('metric_image.swept') });
      return [sweeper];
    },
  };
}
