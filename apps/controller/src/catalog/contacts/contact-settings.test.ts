import { openContact } from '@vantage/storage/secrets/sealed-contact';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useAccountPerTest } from '../../testing/account-per-test.ts';

describe('contacts of types that other services give credentials for', () => {
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

  it('of every Type are created, show no credential, and keep it when the shown Address comes back', async () => {
    const web = (rest: string) => `https://r.example/${rest}`;
    const bodies: readonly (readonly [
      type: string,
      address: string,
      shown: string,
      secret: string | null,
    ])[] = [
      ['slack', web('services/T/B/s3ntinel'), web('services/T/B/***'), null],
      ['teams', web('invoke?sig=s3ntinel'), web('invoke?sig=***'), null],
      ['pagerduty', web('v2/enqueue'), web('v2/enqueue'), 's3ntinel'.repeat(4)],
      ['jsm', web('alerts'), web('alerts'), `s3ntinel-${'0'.repeat(20)}`],
      ['alertmanager', web('?token=s3ntinel'), web('?token=***'), 's3ntinel'],
      ['ntfy', web('s3ntinel'), web('***'), null],
      ['telegram', '@operations', '@operations', `1:s3ntinel${'0'.repeat(30)}`],
    ];
    for (const [Type, Address, shown, Secret] of bodies) {
      const id = await create('/contacts', {
        Name: Type,
        Type,
        Address,
        ...(Secret === null ? {} : { Secret }),
      });
      const { json, text } = await send('GET', `/contacts/${id}`);
      expect(json).toMatchObject({ Type, Address: shown });
      expect(text).not.toContain('s3ntinel');
      await send('PUT', `/contacts/${id}`, { ...z.record(z.string(), z.json()).parse(json), Name: 'other' });
      expect(await clear(id)).toEqual({ address: Address, secret: Secret, previousSecret: null });
    }
    const { sealed: _, ...row } = await api.rest.db.kysely
      .selectFrom('contacts')
      .selectAll()
      .where('account_no', '=', api.accountNo)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('s3ntinel');
    expect((await send('GET', '/audit')).text).not.toContain('s3ntinel');
  });

  it('a Secret has the form of its Type; null removes an optional one', async () => {
    const body = { Name: 'a', Type: 'pagerduty', Address: 'https://events.pagerduty.com/v2/enqueue' };
    expect(await message('POST', '/contacts', body)).toBe(
      '1004 Secret is required for contacts of Type pagerduty: the integration key of the PagerDuty service (Events API v2): 32 letters and digits.',
    );
    expect(await message('POST', '/contacts', { ...body, Secret: 'short' })).toContain(
      '1004 Secret must be the integration key',
    );
    const key = 'k'.repeat(32);
    const pagerduty = await create('/contacts', { ...body, Secret: key });
    expect(await message('PUT', `/contacts/${pagerduty}`, { Secret: null })).toContain(
      '1004 Secret is required',
    );
    expect(await message('POST', `/contacts/${pagerduty}/rotate`, {})).toContain(
      '1005 The Secret of contacts of Type pagerduty comes from the receiver',
    );
    const ntfy = await create('/contacts', {
      Name: 'n',
      Type: 'ntfy',
      Address: 'https://ntfy.sh/topic',
      Secret: 'tk_a',
    });
    await send('PUT', `/contacts/${ntfy}`, { Secret: null });
    expect((await clear(ntfy)).secret).toBeNull();
  });

  it('an optional secret whose key is lost is not dropped in silence', async () => {
    const id = await create('/contacts', {
      Name: 'a',
      Type: 'alertmanager',
      Address: 'https://am.example/',
      Secret: 'tk',
    });
    const damage = { sealed: Buffer.alloc(40) };
    await api.rest.db.kysely.updateTable('contacts').set(damage).where('contact_id', '=', id).execute();
    expect(await message('PUT', `/contacts/${id}`, { Name: 'x' })).toContain('or null if there is none');
    expect((await send('PUT', `/contacts/${id}`, { Secret: null })).status).toBe(200);
    expect(await clear(id)).toEqual({ address: 'https://am.example/', secret: null, previousSecret: null });
  });

  it('Options are shown, replaced as a whole and audited; each Type knows its own', async () => {
    const Options = { To: '+4712345678', Body: '{"msisdn": "{{To}}", "text": "{{Text}}"}' };
    const sms = { Name: 'Phone', Type: 'sms', Address: 'https://sms.example/send', Options };
    const id = await create('/contacts', { ...sms, Secret: 'Bearer s3ntinel' });
    expect((await send('GET', `/contacts/${id}`)).json).toMatchObject({ Options });
    await send('PUT', `/contacts/${id}`, { Options: { To: '+4787654321' } });
    expect((await send('GET', `/contacts/${id}`)).json).toMatchObject({ Options: { To: '+4787654321' } });
    expect((await send('GET', '/audit?Limit=1')).json).toMatchObject([
      { Changes: [{ Field: 'Options', Old: Options, New: { To: '+4787654321' } }] },
    ]);
    const refused: readonly (readonly [body: object, text: string])[] = [
      [{ ...sms, Options: null }, '1004 Options.To is required'],
      [{ ...sms, Options: { ...Options, To: '911' } }, '1004 Options.To must be the phone number'],
      [{ ...sms, Type: 'slack' }, '1004 Options are not used by contacts of this Type'],
      [{ ...sms, Type: 'template' }, '1004 Options.To is not used by contacts of this Type'],
      [
        { ...sms, Options: { ...Options, Body: '{{Nobody}}' } },
        '1004 Options.Body has the unknown name {{Nobody}}',
      ],
      [{ ...sms, Secret: 'a\nb' }, '1004 Secret must be the value of the header'],
    ];
    for (const [body, text] of refused) expect(await message('POST', '/contacts', body)).toContain(text);
  });
});
