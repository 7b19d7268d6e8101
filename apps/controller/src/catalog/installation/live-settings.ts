import { type Logger, messageOf } from '@vantage/kernel';
import type { Database } from '@vantage/storage';
import type { Sealer } from '@vantage/storage/secrets/seal';
import {
  type EnvironmentSettings,
  type InstallationSettings,
  nothingStored,
  settingsInForce,
} from './installation-settings.ts';
import { readInstallationSettings } from './installation-settings-store.ts';

/** The settings of the installation as this controller applies them. */
export interface LiveSettings {
  readonly environment: EnvironmentSettings;
  /** The same object for good; its properties change when a person changes a setting, at any controller. */
  readonly inForce: InstallationSettings;
  /** Reads the stored settings again. Never rejects. */
  refresh(): Promise<void>;
}

/** Reads the settings, and reads them again when any controller changed them, until the database is closed. */
export async function openLiveSettings({
  db,
  sealer,
  environment,
  log,
}: {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly environment: EnvironmentSettings;
  readonly log: Logger;
}): Promise<LiveSettings> {
  let current = settingsInForce(environment, nothingStored);
  // Reads may end in another order than they began; the last one that began counts.
  let begun = 0;
  const refresh = async () => {
    const turn = ++begun;
    const stored = await readInstallationSettings(db.kysely, sealer);
    if (turn !== begun) return;
    if (stored.isPasswordLost)
      log.warn('the password of the mail server was lost with the key that sealed it: enter it again');
    current = settingsInForce(environment, stored);
  };
  const refreshSafely = () =>
    refresh().catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, 'changed settings of the installation cannot be read'),
    );
  await db.subscribe('settings', () => void refreshSafely());
  await refresh();
  return { environment, inForce: liveView(() => current), refresh: refreshSafely };
}

/** A view whose properties are read at each use. */
function liveView(read: () => InstallationSettings): InstallationSettings {
  return {
    get smtpUrl() {
      return read().smtpUrl;
    },
    get mailServer() {
      return read().mailServer;
    },
    get mailFrom() {
      return read().mailFrom;
    },
    get allowPrivate() {
      return read().allowPrivate;
    },
    get telegramUrl() {
      return read().telegramUrl;
    },
  };
}
