import { alertKinds } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { openContact } from '@vantage/storage/secrets/sealed-contact';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';
import { createRestFixture } from '../../testing/rest-fixture.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const email = { Name: 'Operations', Type: 'email', Address: 'noc@example.org' };
const webhook = {
  Name: 'Hook',
  Type: 'webhook',
  Address: 'https://u:passw0rd-1@h.example/a?token=t0ken-1',
  Secret: secret,
};

describe('contacts', () => {
  const api = useAccountPerTest();
  const { send, create, message } = api;

  const clear = async (id: string) => {
    const { sealed } = await api.rest.db.kysely
      .selectFrom('contacts')
      .select('sealed')
      .where('contact_id', '=', id)
      .executeTakeFirstOrThrow();
    return openContact(api.rest.sealer, id, sealed);
  };

  it('are created, listed by name, read, changed and deleted', async () => {
    const hook = await create('/contacts', { ...webhook, Notify: ['device.down'], ExternalKey: 'k' });
    const mail = await create('/contacts', email);
    const { json: list, headers } = await send('GET', '/contacts');
    expect(list).toMatchObject([
      { contact_id: hook, Name: 'Hook', Notify: ['device.down'] },
      { contact_id: mail, Name: 'Operations', Notify: null },
    ]);
    expect(headers.get('x-total-count')).toBe('2');
    expect((await send('GET', '/contacts?ExternalKey=k')).json).toMatchObject([{ contact_id: hook }]);
    expect((await send('GET', '/contacts?Limit=1&Offset=1')).json).toMatchObject([{ contact_id: mail }]);
    const { json } = await send('PUT', `/contacts/${mail}`, {
      Name: 'NOC',
      Address: 'a@example.org',
      Type: 'email',
    });
    expect(json).toMatchObject({ Name: 'NOC', Address: 'a@example.org', Type: 'email', Notify: null });
    expect((await send('DELETE', `/contacts/${mail}`)).json).toEqual({ contact_id: mail });
    expect((await send('GET', `/contacts/${mail}`)).json).toMatchObject({ code: 1003 });
  });

  it('show no secret and no credential, and keep both sealed', async () => {
    const id = await create('/contacts', webhook);
    const { json, text } = await send('GET', `/contacts/${id}`);
    expect(json).toMatchObject({ Address: 'https://u:***@h.example/a?token=***', PreviousSecretUntil: null });
    const row = await api.rest.db.kysely
      .selectFrom('contacts')
      .selectAll()
      .where('contact_id', '=', id)
      .executeTakeFirstOrThrow();
    const audit = (await send('GET', '/audit')).text;
    for (const shown of [
      text,
      JSON.stringify({ ...row, sealed: Buffer.from(row.sealed).toString('latin1') }),
      audit,
    ])
      for (const hidden of [secret, 'passw0rd-1', 't0ken-1']) expect(shown).not.toContain(hidden);
    expect(await clear(id)).toEqual({ address: webhook.Address, secret, previousSecret: null });
  });

  it('keep a credential whose mask is sent back while scheme, host, port and user stay', async () => {
    const id = await create('/contacts', webhook);
    await send('PUT', `/contacts/${id}`, { Address: 'https://u:***@h.example/b?token=***' });
    expect((await clear(id)).address).toBe('https://u:passw0rd-1@h.example/b?token=t0ken-1');
    for (const Address of [
      'https://u:***@evil.example/',
      'https://v:***@h.example/',
      'https://u:passw0rd-1@h.example/?key=***',
    ])
      expect(await message('PUT', `/contacts/${id}`, { Address })).toBe(
        '1004 Address holds the mask ***; send the credential itself (it is kept only while scheme, host, port and user stay).',
      );
    expect((await clear(id)).secret).toBe(secret);
  });

  it('a webhook needs a secret, and the refusal says how to make one', async () => {
    const { Secret: _, ...without } = webhook;
    expect(await message('POST', '/contacts', without)).toBe(
      '1004 Secret is required for contacts of Type webhook: whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)".',
    );
    for (const wrong of ['hunter2', 'whsec_', `whsec_${Buffer.alloc(23).toString('base64')}`]) {
      const said = await message('POST', '/contacts', { ...webhook, Secret: wrong });
      expect(said).toContain('1004 Secret must be whsec_ and the base64 of 24 to 64 random bytes');
      expect(said).not.toContain(wrong === 'whsec_' ? 'hunter' : wrong);
    }
    expect(await message('POST', '/contacts', { ...email, Secret: secret })).toBe(
      '1004 Secret is not used by contacts of Type email; leave it out.',
    );
  });

  it('a refusal names every fault', async () => {
    const { json } = await send('POST', '/contacts', {
      Name: '',
      Type: 'webhook',
      Address: 'http://10.0.0.1/',
      Notify: ['device.gone'],
      Nonsense: 1,
    });
    const { errors } = z.object({ errors: z.array(z.object({ field: z.string() })) }).parse(json);
    expect(errors.map(({ field }) => field).sort()).toEqual([
      'Address',
      'Name',
      'Nonsense',
      'Notify.0',
      'Secret',
    ]);
    expect(await message('POST', '/contacts', { Name: 'a', Address: 'b' })).toContain('Type is required');
  });

  it('a webhook goes to private addresses and by plain HTTP only where the operator permits it', async () => {
    for (const Address of ['http://h.example/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/'])
      expect(await message('POST', '/contacts', { ...webhook, Address })).toContain(
        'VANTAGE_ALLOW_PRIVATE_WEBHOOKS',
      );
    await using open = await createRestFixture({ environment: { allowPrivateWebhooks: true } });
    const account = await open.account('one');
    const own = await open.key(account.accountNo, 'UW');
    const body = { ...webhook, Address: 'http://127.0.0.1:9/' };
    expect((await open.send('POST', '/contacts', { ...own, body })).status).toBe(200);
  });

  it('keep their Type', async () => {
    const id = await create('/contacts', email);
    expect(await message('PUT', `/contacts/${id}`, { Type: 'webhook' })).toContain(
      '1005 Type cannot be changed',
    );
  });

  it('a rotation shows the new secret once, and the old one also signs for 24 hours', async () => {
    const id = await create('/contacts', webhook);
    const reply = await send('POST', `/contacts/${id}/rotate`);
    const { Secret: next } = z
      .strictObject({ contact_id: z.literal(id), Secret: z.string() })
      .parse(reply.json);
    expect(next).not.toBe(secret);
    expect(await clear(id)).toEqual({ address: webhook.Address, secret: next, previousSecret: secret });
    const before = await send('GET', `/contacts/${id}`);
    expect(before.text).not.toContain('whsec_');
    expect(before.json).toMatchObject({ PreviousSecretUntil: expect.stringMatching(/^\d{4}-/) });
    const { previous_secret_until_us: untilUs } = await api.rest.db.kysely
      .selectFrom('contacts')
      .select('previous_secret_until_us')
      .where('contact_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(untilUs).toBe(api.rest.clock.nowUs() + 24 * 3600 * 1e6);
    await api.rest.clock.advance(24 * 3600 * 1000);
    expect((await send('GET', `/contacts/${id}`)).json).toMatchObject({ PreviousSecretUntil: null });
    expect(await message('POST', `/contacts/${await create('/contacts', email)}/rotate`, {})).toContain(
      '1005 Contacts of Type email',
    );
    expect((await send('GET', '/audit')).text).not.toContain(next);
  });

  it('a new secret replaces the old one at once and changes the ETag', async () => {
    const id = await create('/contacts', webhook);
    await send('POST', `/contacts/${id}/rotate`);
    await api.rest.db.kysely
      .updateTable('contacts')
      .set({ updated_at: new Date(0) })
      .execute();
    const before = (await send('GET', `/contacts/${id}`)).headers.get('etag');
    await send('PUT', `/contacts/${id}`, { Secret: secret });
    expect(await clear(id)).toEqual({ address: webhook.Address, secret, previousSecret: null });
    expect((await send('GET', `/contacts/${id}`)).headers.get('etag')).not.toBe(before);
    expect((await send('GET', '/audit?Limit=1')).json).toMatchObject([
      { Kind: 'contact', Changes: [{ Field: 'Secret', Old: '***', New: '***' }] },
    ]);
  });

  it('one that a schedule names is not deleted; the refusal names the schedule', async () => {
    const id = await create('/contacts', email);
    const schedule = { nschedule_id: newId(), account_no: api.accountNo, name: 'Night' };
    const steps = JSON.stringify([{ DelayMinutes: 0, Contacts: [newId(), id] }]);
    await api.rest.db.kysely
      .insertInto('nschedules')
      .values({ ...schedule, steps })
      .execute();
    const { json } = await send('DELETE', `/contacts/${id}`);
    expect(json).toMatchObject({
      code: 1005,
      message: `Contact Operations cannot be deleted while these name it: notification schedule Night (${schedule.nschedule_id}).`,
    });
  });

  it('has a key of its own kind: a taken one is 1005', async () => {
    await create('/contacts', { ...email, ExternalKey: 'k' });
    await send('POST', '/tags', { Name: 't', ExternalKey: 'k' });
    expect(await message('POST', '/contacts', { ...email, ExternalKey: 'k' })).toContain(
      '1005 ExternalKey "k" belongs',
    );
  });

  it('an account has at most 1,000 of them', async () => {
    await api.rest.db.kysely
      .insertInto('contacts')
      .values(
        Array.from({ length: 1_000 }, () => ({
          contact_id: newId(),
          account_no: api.accountNo,
          name: 'n',
          type: 'email',
          address: 'a@example.org',
          sealed: Buffer.alloc(1),
        })),
      )
      .execute();
    expect(await message('POST', '/contacts', email)).toBe(
      '1004 The account has 1000 contacts, which is the limit. Delete one that is no longer needed.',
    );
  });

  it.each([
    ['another host', 'https://u:passw0rd-1@evil.example/a?token=t0ken-1'],
    ['another port', 'https://u:passw0rd-1@h.example:8443/a?token=t0ken-1'],
    ['another user', 'https://v:passw0rd-1@h.example/a?token=t0ken-1'],
    ['a host below the old one', 'https://u:passw0rd-1@h.example.evil.example/a?token=t0ken-1'],
  ])('with %s in its Address it needs its Secret again', async (_, Address) => {
    const id = await create('/contacts', webhook);
    await send('POST', `/contacts/${id}/rotate`);
    const before = await clear(id);
    const { json } = await send('PUT', `/contacts/${id}`, { Address });
    expect(json).toMatchObject({ code: 1004, errors: [{ field: 'Secret' }] });
    expect(await clear(id)).toEqual(before);
    // Whoever knows the secret may keep it. What was replaced 24 hours ago at most does not sign for the new receiver.
    expect((await send('PUT', `/contacts/${id}`, { Address, Secret: before.secret })).status).toBe(200);
    expect(await clear(id)).toEqual({ address: Address, secret: before.secret, previousSecret: null });
  });

  it('with another path in its Address it keeps its Secret', async () => {
    const id = await create('/contacts', webhook);
    expect((await send('PUT', `/contacts/${id}`, { Address: 'https://u:***@h.example/b' })).status).toBe(200);
    expect(await clear(id)).toMatchObject({ secret });
  });

  it('that need no Secret lose it with their receiver by null', async () => {
    const ntfy = {
      Name: 'N',
      Type: 'ntfy',
      Address: 'https://ntfy.example/topic-1',
      Secret: 'tk_1234567890',
    };
    const id = await create('/contacts', ntfy);
    const Address = 'https://other.example/topic-1';
    expect((await send('PUT', `/contacts/${id}`, { Address })).json).toMatchObject({ code: 1004 });
    expect((await send('PUT', `/contacts/${id}`, { Address, Secret: null })).status).toBe(200);
    expect(await clear(id)).toEqual({ address: Address, secret: null, previousSecret: null });
  });

  it('one whose key is lost needs its Address and Secret anew', async () => {
    const id = await create('/contacts', webhook);
    await api.rest.db.kysely
      .updateTable('contacts')
      .set({ sealed: Buffer.alloc(40) })
      .where('contact_id', '=', id)
      .execute();
    expect((await send('POST', `/contacts/${id}/rotate`)).json).toMatchObject({ code: 1005 });
    const { json } = await send('PUT', `/contacts/${id}`, { Name: 'x' });
    expect(json).toMatchObject({ code: 1004, errors: [{ field: 'Address' }, { field: 'Secret' }] });
    const { Address, Secret } = webhook;
    expect((await send('PUT', `/contacts/${id}`, { Address, Secret })).status).toBe(200);
    expect(await clear(id)).toEqual({ address: Address, secret: Secret, previousSecret: null });
  });

  it('a test sends one message and answers what its receiver said', async () => {
    const sent: number[] = [];
    await using own = await createRestFixture({
      sendTest: async (contactNo) => {
        sent.push(contactNo);
        return { isDelivered: false, answer: '410 Gone' };
      },
    });
    const account = await own.account('one');
    const { key: ownKey } = await own.key(account.accountNo, 'UW');
    const { json } = await own.send('POST', '/contacts', { key: ownKey, body: webhook });
    const { contact_id } = z.object({ contact_id: z.string() }).parse(json);
    const reply = await own.send('POST', `/contacts/${contact_id}/test`, { key: ownKey });
    expect(reply.json).toEqual({ contact_id, Delivered: false, Answer: '410 Gone' });
    expect(sent).toHaveLength(1);
  });

  it('accept every kind of message', async () => {
    const id = await create('/contacts', { ...email, Notify: [...alertKinds] });
    expect((await send('GET', `/contacts/${id}`)).json).toMatchObject({ Notify: alertKinds });
  });
});
