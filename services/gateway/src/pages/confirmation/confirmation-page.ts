import type { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { anonymous, type RpcClient } from '@switchyard/rpc';
import { formPage } from '../form-page';

/** Mounts the page that confirms the e-mail address to which its link went. */
export const confirmationPage = ({
  emails,
  externalUrl,
}: {
  emails: Pick<RpcClient<typeof UserEmailServiceService>, 'confirmUserEmail'>;
  externalUrl: string;
}) =>
  formPage(
    {
      path: '/-/confirmation',
      title: 'Confirmation of an e-mail',
      question: 'Is this e-mail address yours?',
      button: 'Confirm it',
      tokenForm: /^\d{1,15}-[A-Za-z0-9_-]{43}$/,
      invalidLink: 'Confirmation token is invalid',
      async act(token, requestId) {
        const { email } = await emails.confirmUserEmail({ token }, { requestId, actor: anonymous });
        return `${email} is confirmed.`;
      },
    },
    externalUrl,
  );
