import { because, type Row, reading } from './parameter-cases';

/** Rows of changes, of the deliveries of webhooks, and of what was decided about mail and to-dos. */
export function deliveryRows({
  ids,
  tokens,
}: {
  ids: Readonly<Record<string, number>>;
  tokens: Readonly<Record<string, string>>;
}): Row[] {
  const at = `/projects/${ids.main}`;
  const some = (list: unknown[]) => list.length > 0;
  const nothing = ({ summary }: { summary: string }) => summary.startsWith('Nothing about this was decided');
  const changes = ['/groups/:id', '/projects/:id'].flatMap((place): Row[] => [
    {
      operation: `GET ${place}/changes`,
      path: '/changes',
      proofs: { after: because('cursors are made by the service; change.comp.test shows it') },
    },
    {
      operation: `GET ${place}/changes/stream`,
      path: '/changes/stream',
      proofs: { after: because('the reply does not end; change-stream.test shows it') },
    },
  ]);
  const events = ['', '/groups/:id', '/projects/:id'].map(
    (place): Row => ({
      operation: `GET ${place}/hooks/:hook_id/events`,
      path: '/events',
      proofs: { status: because('nothing receives what is sent; webhook.comp.test shows it') },
    }),
  );
  return [
    ...changes,
    ...events,
    {
      operation: 'GET /notifications/ledger',
      path: '/notifications/ledger',
      token: tokens.ada,
      proofs: {
        target: reading(some as never, 'work/main!1 => true', 'work/main#3 => false'),
        created_after: reading(some as never, '2000-01-01 => true', '2090-01-01 => false'),
        created_before: reading(some as never, '2000-01-01 => false', '2090-01-01 => true'),
      },
    },
    {
      operation: 'GET /notifications/explain',
      path: '/notifications/explain',
      token: tokens.ada,
      proofs: { target: reading(nothing as never, 'work/main!1 => false', 'work/main#3 => true') },
    },
    {
      operation: 'GET /projects/:id/deliveries',
      path: `${at}/deliveries`,
      proofs: {
        target: reading(
          (list) => [...new Set(list.map((one: { target_type: string }) => one.target_type))].sort(),
          '!1 => MergeRequest',
          '#3 => Issue',
        ),
      },
    },
    {
      operation: 'GET /projects/:id/deliveries/explain',
      path: `${at}/deliveries/explain`,
      proofs: {
        target: { ...reading(nothing as never, '!1 => false', '#3 => true'), beside: 'user=ada' },
        user: { ...reading(nothing as never, 'ada => false', 'cat => true'), beside: 'target=!1' },
      },
    },
  ];
}
