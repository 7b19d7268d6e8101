import { z } from 'zod';
import { keyLevels, line, newName, ofOneAccount, reference, timestamp } from './command-fields.ts';

const account = z.object({ account_id: z.string(), name: z.string(), timezone: z.string() });
const key = z.object({
  key_id: z.string(),
  account: z.string(),
  name: z.string(),
  level: z.enum(keyLevels),
  hint: z.string().describe("The key's first characters."),
  basic_user: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});

const location = z.object({
  location_id: z.string(),
  account: z.string(),
  name: z.string(),
  online: z.boolean(),
  agents: z.int(),
});

export const accountCommands = {
  'accounts.create': {
    request: z.strictObject({ name: newName, timezone: z.string() }),
    answer: z.object({
      account,
      has_default_location: z.boolean().describe('Whether devices that name no Location are checked.'),
    }),
  },
  'accounts.list': { request: z.strictObject({}), answer: z.array(account).readonly() },
  'keys.issue': {
    request: z.strictObject({
      account: reference,
      level: z.enum(keyLevels),
      name: line,
      basic: z.strictObject({ user: z.string(), password: z.string() }).optional(),
    }),
    answer: z.object({ key_id: z.string(), key: z.string(), level: z.enum(keyLevels) }),
  },
  'keys.list': { request: ofOneAccount, answer: z.array(key).readonly() },
  'keys.revoke': {
    request: z.strictObject({ key: z.string().describe('Its id or hint.') }),
    answer: z.object({ key_id: z.string() }),
  },
  'locations.create': {
    request: z.strictObject({ account: reference, name: newName }),
    answer: z.object({ location_id: z.string(), name: z.string() }),
  },
  'locations.list': { request: ofOneAccount, answer: z.array(location).readonly() },
} as const;
