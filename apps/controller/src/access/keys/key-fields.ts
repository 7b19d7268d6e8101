import { boundedText } from '@vantage/kernel';
import {
  idField,
  lineField,
  shownTimes,
  showTimes,
  timeNames,
  timestampField,
} from '@vantage/rest-kit/field';
import { levels } from '@vantage/rest-kit/session';
import { timestampProblem, type Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import { shownScope } from './key-scope.ts';
import type { OwnKeyRow } from './key-store.ts';

export const readOnly = ['key_id', 'CreatedBy', 'LastUsed', 'LastAddress', ...timeNames] as const;

export const name = lineField(200, 1).describe('What the key is for; the audit names the key by it.');

/** The operator's command may have issued a key without a name. */
export const nameOrNone = lineField(200).describe('The purpose of the key; may be empty.');

export const level = z
  .enum(levels)
  .describe(
    'UR views; UO also acknowledges, snoozes, starts and stops maintenance and checks now; UW views and changes everything but keys; UA also manages keys.',
  );

export const expires = boundedText(100)
  .refine((text) => timestampProblem(text) === undefined, {
    error: ({ input }) => timestampProblem(String(input)) ?? '',
  })
  .nullable()
  .describe('When the key stops working; null: never.');

export const keyFull = z
  .strictObject({
    key_id: idField,
    Name: nameOrNone,
    Level: level,
    Tags: shownScope,
    Expires: timestampField.nullable().describe('When the key stops working; null: never.'),
    LastUsed: timestampField
      .nullable()
      .describe('The last use of the key or of a session of it, noted at most once a minute; null: none.'),
    LastAddress: z.string().nullable().describe('The address of the caller then.'),
    CreatedAt: shownTimes.CreatedAt,
    CreatedBy: z
      .string()
      .nullable()
      .describe(
        'The name of the key that made it, or `command line`; null: it was made before this was noted.',
      ),
    UpdatedAt: shownTimes.UpdatedAt,
  })
  .meta({ id: 'Key' });

export function parseExpires(sent: string | null | undefined, zone: Zone): number | null | undefined {
  return typeof sent === 'string' ? (zone.parse(sent) ?? null) : sent;
}

export function show(row: OwnKeyRow, zone: Zone): z.input<typeof keyFull> {
  const time = (us: number | null) => (us === null ? null : zone.format(us));
  return {
    key_id: row.keyId,
    Name: row.name,
    Level: row.level,
    Tags: row.tags && [...row.tags],
    Expires: time(row.expiresUs),
    LastUsed: time(row.usedUs),
    LastAddress: row.address,
    CreatedBy: row.createdBy,
    ...showTimes({ created_at: row.createdAt, updated_at: row.updatedAt }, zone),
  };
}
