import { cleanLine, maxTimeoutS, severities } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { lineField } from '@vantage/rest-kit/field';
import { z } from 'zod';
import { expiryDaysField } from '../../resources/expiry-days-field.ts';
import { identityTable } from '../../resources/external-key.ts';
import { type Field, flagged } from '../../resources/field-table.ts';

/**
 * The reach of a change: agents keep their assignment, get other settings, another schedule or Location, or another
 * target.
 */
export type ChangeReach = 'none' | 'settings' | 'schedule' | 'target';

/** A setting of a device in a column of its own. */
interface SettingColumn extends Field {
  readonly reach: ChangeReach;
  /** Lists of devices show it. */
  readonly isListed?: true;
  /** A change of many devices may set it (POST /devices/change). */
  readonly isShared?: true;
}

/** The seconds that a device may have as its interval instead of minutes. */
export const secondsChoices = [5, 10, 15, 20, 30] as const;

/** Retries as the API shows them: the contract has no fewer than two. */
export function shownRetries(retries: number): number {
  return Math.max(2, retries);
}

const webName = /^[A-Za-z0-9-]{1,8}$/;

/**
 * The plain settings of a device, each once. Requests, answers and their texts, columns, changes and their reach are
 * derived from it. Two pairs name one thing each (`resolveRhythm`): Frequency and FrequencySeconds, Retries and
 * Attempts.
 */
export const deviceTable = {
  ShortName: {
    column: 'short_name',
    schema: boundedText(1000).regex(webName, "must be 1 to 8 letters, digits or '-', for example web-1"),
    text: 'Short name of the device.',
    sentText: "Up to 8 characters: letters, digits or '-'. Need not be unique.",
    example: 'web-1',
    byDefault: '',
    isRequired: true,
    reach: 'none',
    isListed: true,
  },
  FullName: {
    column: 'full_name',
    schema: lineField(1000),
    text: 'Description of the device.',
    sentText: 'Description, one line; null: none.',
    example: 'Web shop, front page',
    byDefault: null,
    show: cleanLine,
    reach: 'none',
    isListed: true,
  },
  Frequency: {
    column: 'frequency_min',
    schema: z.literal([1, 2, 5, 10, 20, 30, 60]),
    text: 'Minutes between checks.',
    example: 5,
    byDefault: 5,
    reach: 'schedule',
    isListed: true,
    isShared: true,
  },
  FrequencySeconds: {
    column: 'frequency_s',
    schema: z.literal(secondsChoices),
    text: 'Seconds between checks; null: Frequency counts.',
    sentText:
      'Seconds between checks instead of Frequency, which reads 1 then; null: Frequency counts. If both are sent, the one that differs from the shown value counts.',
    example: null,
    byDefault: null,
    reach: 'schedule',
    isListed: true,
    isShared: true,
  },
  Timeout: {
    column: 'timeout_s',
    schema: z.int().min(1).max(maxTimeoutS),
    text: 'Seconds to wait for a response.',
    example: 30,
    byDefault: 30,
    reach: 'settings',
    isShared: true,
  },
  Retries: {
    column: 'retries',
    schema: z.int().min(2).max(10),
    text: 'Retries after an error before alerting.',
    example: 2,
    byDefault: 2,
    show: shownRetries,
    reach: 'none',
    isShared: true,
  },
  Attempts: {
    column: 'retries',
    schema: z.int().min(1).max(11),
    text: 'Failing checks until the device is Down.',
    sentText:
      'Failing checks until the device is Down, the first one included; null: Retries + 1. If both are sent, the one that differs from the shown value counts.',
    example: 3,
    isExampleSaid: true,
    byDefault: 2,
    store: (attempts: number) => attempts - 1,
    show: (retries: number) => retries + 1,
    reach: 'settings',
    isShared: true,
  },
  RetryDelay: {
    column: 'retry_delay_s',
    schema: z.int().min(1).max(300),
    text: 'Seconds before a retry.',
    example: 1,
    byDefault: 1,
    reach: 'settings',
    isShared: true,
  },
  ExternalKey: { ...identityTable.ExternalKey, reach: 'none', isListed: true },
  Source: { ...identityTable.Source, reach: 'none', isListed: true },
  Enabled: {
    column: 'enabled',
    schema: z.boolean(),
    text: 'false: the device is paused.',
    sentText:
      'false pauses the device: it is not checked, its Status is Unknown, and no alerts are sent; default true.',
    example: true,
    byDefault: true,
    // As a new target: results of checks that started before change nothing, and a device that is enabled again is
    // checked at once.
    reach: 'target',
    isListed: true,
    isShared: true,
  },
  Severity: {
    column: 'severity',
    schema: z.enum(severities),
    text: 'How bad an outage of it is.',
    sentText: 'How bad an outage of it is; steps of notification schedules choose by it. Default critical.',
    example: 'critical',
    byDefault: 'critical',
    reach: 'none',
    isListed: true,
    isShared: true,
  },
  ExpiryWarningDays: {
    ...expiryDaysField,
    text: "Days before the end of its certificate or domain at which it warns; null: the account's.",
    sentText:
      "Days before the end of its certificate or domain at which it warns, falling; []: never; null: the account's.",
    reach: 'none',
  },
} as const satisfies Readonly<Record<string, SettingColumn>>;

/** The fields that lists of devices show. */
export const listedTable = flagged(deviceTable, 'isListed');

/** The fields that one request can set for many devices. */
export const sharedTable = flagged(deviceTable, 'isShared');
