import type { PrismaClient } from '../../generated/prisma/client';
import { type AlertSettings, defaultAlertSettings } from '../domain/alert-settings';

/** Stores settings. */
export interface AlertSettingsStore {
  /** The settings of a project. */
  get(projectId: number): Promise<AlertSettings>;
  /** Changes the given settings. @returns all settings after it */
  update(projectId: number, change: Partial<AlertSettings>): Promise<AlertSettings>;
}

const toSettings = ({ createIssue, sendEmail, autoCloseIncident, fingerprinting }: AlertSettings): AlertSettings => ({
  createIssue,
  sendEmail,
  autoCloseIncident,
  fingerprinting,
});

/** Opens the store. */
export const alertSettingsStore = ({ alertSettings }: PrismaClient): AlertSettingsStore => ({
  async get(projectId) {
    const row = await alertSettings.findUnique({ where: { projectId } });
    return row === null ? defaultAlertSettings : toSettings(row);
  },

  update: async (projectId, change) =>
    toSettings(
      await alertSettings.upsert({
        where: { projectId },
        create: { ...defaultAlertSettings, ...change, projectId },
        update: change,
      }),
    ),
});
