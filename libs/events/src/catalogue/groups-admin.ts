import { AccessRequestEvent } from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import { GroupEvent } from '@switchyard/protos/groups_admin/events/v1/group_event';
import { IntegrationMailEvent } from '@switchyard/protos/groups_admin/events/v1/integration_mail_event';
import { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import { ShareEvent } from '@switchyard/protos/groups_admin/events/v1/share_event';
import { SshKeyEvent } from '@switchyard/protos/groups_admin/events/v1/ssh_key_event';
import { defineEvent } from '../event';

/** Access requests, in order per request. */
export const accessRequestEvents = defineEvent({
  stream: 'groups-admin.access_request',
  version: 1,
  type: 'access_request.changed',
  message: AccessRequestEvent,
  key: (event) => String(event.requestId),
});

/** Changes of groups, in order per group. */
export const groupEvents = defineEvent({
  stream: 'groups-admin.group',
  version: 1,
  type: 'group.changed',
  message: GroupEvent,
  key: (event) => String(event.groupId),
});

/** Mails that integrations have sent, in order per project. */
export const integrationMailEvents = defineEvent({
  stream: 'groups-admin.integration_mail',
  version: 1,
  type: 'integration_mail',
  message: IntegrationMailEvent,
  key: (event) => String(event.projectId),
});

/** Changes of memberships, in order per user. */
export const membershipEvents = defineEvent({
  stream: 'groups-admin.membership',
  version: 1,
  type: 'membership.changed',
  message: MembershipEvent,
  key: (event) => String(event.userId),
});

/** Changes of milestones, in order per milestone. */
export const milestoneEvents = defineEvent({
  stream: 'groups-admin.milestone',
  version: 1,
  type: 'milestone.changed',
  message: MilestoneEvent,
  key: (event) => String(event.milestoneId),
});

/** Changes of projects, in order per project. */
export const projectEvents = defineEvent({
  stream: 'groups-admin.project',
  version: 1,
  type: 'project.changed',
  message: ProjectEvent,
  key: (event) => String(event.projectId),
});

/** Changes of shares with groups, in order per invited group. */
export const shareEvents = defineEvent({
  stream: 'groups-admin.share',
  version: 1,
  type: 'share.changed',
  message: ShareEvent,
  key: (event) => String(event.groupId),
});

/** Changes of the SSH keys of users, in order per key. */
export const sshKeyEvents = defineEvent({
  stream: 'groups-admin.ssh_key',
  version: 1,
  type: 'ssh_key.changed',
  message: SshKeyEvent,
  key: (event) => String(event.keyId),
});
