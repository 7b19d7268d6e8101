import type { Fact } from './facts.ts';

/** Facts of keys and sessions. */
export const keyFacts = (id: string, at: string): Readonly<Record<string, Fact>> => ({
  CreatedBy: { example: 'admin' },
  LastAddress: { example: '192.0.2.10' },
  LastUsed: { example: at },
  key_id: { text: 'Id of the key; not the key itself.', example: id },
});
