import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newId } from '@vantage/kernel';
import { sql } from 'kysely';
import { vi } from 'vitest';
import { z } from 'zod';
import { type Api, createApi } from '../../harness/api.ts';
import { type AttackFixture, issueKey } from './attack-fixture.ts';

/** An account without agents that gets hooks, pages and events. */
interface ThirdAccount extends Disposable {
  readonly accountNo: number;
  readonly key: string;
  readonly api: Api;
  /** Causes an event of the account: creates a device that no agent checks. */
  happen(): Promise<void>;
  /** A hook that posts all events to `address`. */
  hook(address: string): Promise<void>;
  /** Creates a status page with this number of subscribers at `domain`, and resolves with its id. */
  page(subscribers: number, domain: string): Promise<string>;
}

const Secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const idOf = (body: unknown) => Object.values(z.record(z.string(), z.string()).parse(body))[0] ?? '';

/** Opens an account. */
export async function openThirdAccount({ kysely, rows, baseUrl, ca }: AttackFixture): Promise<ThirdAccount> {
  const accountNo = await rows.account();
  const key = await issueKey(kysely, accountNo);
  const caFile = path.join(tmpdir(), `vantage-attacks-ca-${process.pid}.pem`);
  writeFileSync(caFile, ca);
  const api = createApi({ baseUrl, caFile, key, isRepeatedOnIdleEnd: true });
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'third', Frequency: 60, Enabled: false };
  return {
    accountNo,
    key,
    api,
    async happen() {
      await api.ok('POST', '/devices', body);
    },
    async hook(Address) {
      await api.ok('POST', '/hooks', { Name: newId().slice(0, 20), Address, Secret });
    },
    async page(subscribers, domain) {
      const Path = newId().slice(0, 20);
      const id = idOf(await api.ok('POST', '/pages', { Name: Path, Path }));
      await sql`
        insert into page_subscribers (page_no, email, asked_us, confirmed_us)
        select page_no, 's' || n || '@' || ${domain}, 1, 1 from pages, generate_series(1, ${subscribers}::int) n
        where page_id = ${id}`.execute(kysely);
      return id;
    },
    [Symbol.dispose]: () => api.close(),
  };
}

/** Resolves when news of all pages with subscribers are looked for. */
export async function pagesAwaited({ kysely }: Pick<AttackFixture, 'kysely'>): Promise<void> {
  const isKnown = async () => {
    const { rows } = await sql`
      select from pages p where exists (select from page_subscribers s where s.page_no = p.page_no)
        and not exists (select from page_news n where n.page_no = p.page_no)`.execute(kysely);
    if (rows.length > 0) throw new Error(`no job collects the news of ${rows.length} pages`);
  };
  await vi.waitFor(isKnown, { timeout: 60_000, interval: 100 });
}

/** Writes a note on a page, which its subscribers get. */
export async function writeNote({ api }: ThirdAccount, pageId: string, Text: string): Promise<void> {
  await api.ok('PUT', `/pages/${pageId}`, {
    Notes: [{ At: new Date().toISOString(), Kind: 'Information', Text }],
  });
}
