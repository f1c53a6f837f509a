import type { IngestionServiceReceiveResponse } from '@switchyard/protos/alerts/v1/ingestion';

/** The answer to a payload of which one alert was stored. */
export const stored: IngestionServiceReceiveResponse = {
  status: 200,
  json: Buffer.from('[{"iid":1,"title":"x"}]'),
  receiptId: 'a-receipt',
  retryAfter: 0,
};

/** The answer to one of which nothing was. */
export const refused = (status: number, retryAfter = 0): IngestionServiceReceiveResponse => ({
  status,
  json: Buffer.alloc(0),
  receiptId: '',
  retryAfter,
});
