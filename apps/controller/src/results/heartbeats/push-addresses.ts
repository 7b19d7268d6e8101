import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { insertTokens } from './heartbeat-store.ts';
import { newPushToken, pushUrl } from './push-token.ts';

/** Creates and stores the addresses of new devices. */
export interface PushAddresses {
  /** A new address, and the hash of its token, which is stored. */
  create(): { readonly url: string; readonly tokenHash: Buffer };
  insert(
    trx: Kysely<Tables>,
    devices: readonly { readonly deviceNo: number; readonly tokenHash: Buffer }[],
  ): Promise<void>;
}

/** Creates it. `baseUrl` is the address at which jobs reach the controller. */
export function createPushAddresses(baseUrl: () => string): PushAddresses {
  return {
    create() {
      const { token, tokenHash } = newPushToken();
      return { url: pushUrl(baseUrl(), token), tokenHash };
    },
    insert: insertTokens,
  };
}
