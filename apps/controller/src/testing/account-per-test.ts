import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { type AccountApi, addAccount } from './one-account.ts';
import { createRestFixture, type RestFixture } from './rest-fixture.ts';

/** The account of the test that runs. */
export interface AccountPerTest extends AccountApi {
  /** Sends; returns the code and the message of the answer, which must be a refusal. */
  readonly message: (method: string, path: string, body?: object) => Promise<string>;
}

/** Starts the API for the tests of a file or of a `describe`, and gives each test an account of its own. */
export function useAccountPerTest(timezone?: string): AccountPerTest {
  let rest: RestFixture;
  let current: AccountApi;
  let accounts = 0;
  beforeAll(async () => {
    rest = await createRestFixture();
  });
  afterAll(() => rest[Symbol.asyncDispose]());
  beforeEach(async () => {
    accounts += 1;
    current = await addAccount(rest, `account ${accounts}`, timezone);
  });
  return {
    get rest() {
      return rest;
    },
    get accountNo() {
      return current.accountNo;
    },
    get locationNo() {
      return current.locationNo;
    },
    get key() {
      return current.key;
    },
    send: (...request) => current.send(...request),
    create: (...resource) => current.create(...resource),
    message: async (...request) => {
      const { json } = await current.send(...request);
      const { code, message } = z.object({ code: z.int(), message: z.string() }).parse(json);
      return `${code} ${message}`;
    },
  };
}
