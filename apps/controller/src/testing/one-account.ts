import { z } from 'zod';
import type { Reply } from './http-client.ts';
import { createRestFixture, type RestFixture, type Send } from './rest-fixture.ts';

/** An account of the API and one of its keys, of level UA. */
export interface AccountApi {
  readonly rest: RestFixture;
  readonly accountNo: number;
  readonly locationNo: number;
  readonly key: string;
  /** Sends with the account's key. */
  readonly send: (method: string, path: string, body?: unknown, more?: Send) => Promise<Reply>;
  /** Creates a resource and returns its id. Throws with the answer's text where it is refused. */
  readonly create: (path: string, body: object) => Promise<string>;
}

/** The API with one account. */
export interface OneAccount extends AccountApi, AsyncDisposable {}

/** Starts the API for tests that need one account only. */
export async function startOneAccount(
  options: Parameters<typeof createRestFixture>[0] & { readonly timezone?: string } = {},
): Promise<OneAccount> {
  const rest = await createRestFixture(options);
  const account = await addAccount(rest, 'one', options.timezone);
  return { ...account, [Symbol.asyncDispose]: () => rest[Symbol.asyncDispose]() };
}

/** Adds an account with a key. */
export async function addAccount(rest: RestFixture, name: string, timezone?: string): Promise<AccountApi> {
  const { accountNo, locationNo } = await rest.account(name, timezone);
  const { key } = await rest.key(accountNo, 'UA');
  const send: AccountApi['send'] = (method, path, body, more = {}) =>
    rest.send(method, path, { key, ...(body === undefined ? {} : { body }), ...more });
  return {
    rest,
    accountNo,
    locationNo,
    key,
    send,
    create: async (path, body) => {
      const reply = await send('POST', path, body);
      const [id] = Object.values(z.record(z.string(), z.string()).safeParse(reply.json).data ?? {});
      if (reply.status !== 200 || id === undefined) throw new Error(`POST ${path}: ${reply.text}`);
      return id;
    },
  };
}
