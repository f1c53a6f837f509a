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

/** Names under which groups-admin keeps objects. */
const objectKinds: Readonly<Record<string, string>> = {
  Issue: 'issue',
  MergeRequest: 'merge_request',
  Pipeline: 'pipeline',
  'AlertManagement::Alert': 'alert',
  Commit: 'commit',
  Snippet: 'snippet',
  Project: 'project',
  Epic: 'epic',
};

/** What groups-admin calls an object of a type. */
export const objectKeyOf = (type: string, id: number): string => `${objectKinds[type] ?? type}:${id}`;

/** The type and id of what an entry is about, named as in the other part; other keys, such as those of refs, have no id. */
export function targetOf(objectKey: string): { readonly type: string | undefined; readonly id: number | undefined } {
  const kind = objectKey.split(':')[0] ?? '';
  const id = /^[^:]+:(\d{1,15})$/.exec(objectKey)?.[1];
  const [type] = Object.entries(objectKinds).find(([, name]) => name === kind) ?? [kind];
  return { type: type || undefined, id: Number(id) || undefined };
}
