import type { Fact } from './schema.ts';

/** Facts of keys, people and sessions, of trials and settings. */
export const keyFacts = (id: string, at: string): Readonly<Record<string, Fact>> => ({
  'CheckTrial.Location': { example: 'local' },
  'DeviceSettings.Options': { text: 'Settings of the Method.', example: { Count: 3 } },
  'TrialRecord.check_id': { example: null },
  'TrialRecord.Extended': { example: { Address: '192.0.2.80', Status: 200 } },
  CreatedBy: { example: 'admin' },
  LastAddress: { example: '192.0.2.10' },
  Email: { example: 'ada@example.org' },
  'User.Level': { example: 'UO' },
  'User.LastSeen': { example: at },
  LastUsed: { example: at },
  user_id: { text: 'Id of the person.', example: id },
  key_id: { text: 'Id of the key; not the key itself.', example: id },
});
