import { admissionQueue } from '@switchyard/rpc';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { golangHttp } from './transport/golang.http';
import { sourceCodeOf } from './transport/source-code.client';

/** Zips at a time: each compresses on a core. More wait. */
const zips = { slots: 8, slotsOfOwner: 4, maxWaiting: 64 };

/** Builds the proxy of Go modules, which are tags of repositories: there is nothing to publish or to keep. */
export const composeGolang = ({ config, peer, directory }: Edges): Area => ({
  http: golangHttp({
    openSource: sourceCodeOf(peer('merge-requests'), directory.sequence),
    host: new URL(config.SWITCHYARD_EXTERNAL_URL).hostname,
    zips: admissionQueue(zips),
  }),
});
