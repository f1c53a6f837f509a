import type { UnsubscribeServiceService } from '@switchyard/protos/collaboration/v1/unsubscribe';
import { anonymous, type RpcClient } from '@switchyard/rpc';
import { formPage } from '../form-page';

/**
 * Mounts the page that ends the mails whose link led to it. Programs of mail post to the link itself, without opening the
 * page (`List-Unsubscribe-Post`, RFC 8058).
 */
export const unsubscribePage = ({
  subscriptions,
  externalUrl,
}: {
  subscriptions: Pick<RpcClient<typeof UnsubscribeServiceService>, 'unsubscribe'>;
  externalUrl: string;
}) =>
  formPage(
    {
      path: '/-/unsubscribe',
      title: 'End these mails',
      question: 'Do you want no more mails about this?',
      button: 'End them',
      tokenForm: /^\d{1,15}\.[A-Za-z]{4,12}\.\d{1,15}\.\d{1,15}\.\d{1,15}\.[A-Za-z0-9_-]{43}$/,
      invalidLink: 'The link is invalid',
      oneClick: true,
      async act(token, requestId) {
        const { project, everything } = await subscriptions.unsubscribe({ token }, { requestId, actor: anonymous });
        if (everything)
          return 'You get no more digests, and no other mails about what happens. Your notification settings change that.';
        return project
          ? 'You get no more mails about this project. Your notification settings of the project change that.'
          : 'You get no more mails about this, unless somebody mentions you.';
      },
    },
    externalUrl,
  );
