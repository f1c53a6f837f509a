import type { Repeating } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { manageMetricImages } from './application/manage-metric-images';
import { sweepBlobs } from './application/sweep-blobs';
import type { Area, AreaEdges } from './area';
import { metricImageStore } from './storage/metric-image.store';
import { metricImageHandler } from './transport/metric-image.handler';
import { metricImageHttp } from './transport/metric-image.http';

/** Builds images of metrics. */
export function composeMetricImages({ db, config, blobs }: AreaEdges): Area {
  const images = metricImageStore(db);
  let sweeper: Repeating | undefined;
  const limit = config.SWITCHYARD_METRIC_IMAGE_LIMIT;
  const managed = manageMetricImages({ db, images, blobs, limit, sweepSoon: () => sweeper?.soon() });
  const useCases = observe('metric_images', { ...managed });
  return {
    services: [metricImageHandler(useCases)],
    http: metricImageHttp(useCases, limit),
    start: async () => {
      sweeper = sweepBlobs({ db, images, blobs });
      return [sweeper];
    },
  };
}
