/** What was decided for a webhook or integration, as groups-admin tells it. */
export interface SentEntry {
  readonly id: number;
  readonly createdAt: Date;
  readonly event: string;
  readonly action: string;
  readonly objectKey: string;
  readonly target: string;
  readonly receiverKind: string;
  readonly receiverId: number;
  readonly decision: string;
  readonly rule: string;
  readonly fate: string;
  readonly attempts: number;
  readonly responseStatus: number;
  readonly error: string;
}
