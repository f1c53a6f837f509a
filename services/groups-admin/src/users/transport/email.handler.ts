import { UserEmailServiceService } from '@switchyard/protos/groups_admin/v1/user_email';
import { entity, implement, nothing, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import type { Emails } from '../application/emails';
import { presentEmail } from '../presenters/email.presenter';

/** UserEmailService. */
export const emailHandler = (emails: Emails): ServiceImplementation =>
  implement(
    UserEmailServiceService,
    {
      listUserEmails: async (request, { actor }) => {
        const asked = pageRequest(request.page, { orderBy: 'id' });
        const { rows, page: info } = await emails.list(request.userId, asked, actor);
        return page(rows.map(presentEmail), { ...info, keyset: asked.mode === 'keyset' });
      },
      getUserEmail: async ({ userId, emailId }, { actor }) =>
        entity(presentEmail(await emails.get(userId, emailId, actor))),
      addUserEmail: async ({ userId, email, skipConfirmation }, { actor }) =>
        entity(presentEmail(await emails.add(userId, email, { confirmed: skipConfirmation }, actor))),
      deleteUserEmail: async ({ userId, emailId, ifUnmodifiedSince }, { actor }) => {
        await emails.remove(userId, emailId, ifUnmodifiedSince, actor);
        return nothing();
      },
      confirmUserEmail: async ({ token }) => ({ email: await emails.confirm(token) }),
      getEmailConfirmation: ({ emailId }) => emails.confirmationMail(emailId),
    },
    { getEmailConfirmation: { callers: ['collaboration'] } },
  );
