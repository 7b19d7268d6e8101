import { addContacts, giveSchedule } from '../cast.ts';
import { type LabFixture, until } from '../lab-fixture.ts';
import { addresses } from '../network.ts';
import { expectStatus, type Scene } from '../scene.ts';
import { serviceTypes } from '../services.ts';

/**
 * Names of parameters whose values are credentials, as docs/contacts.md and docs/alerts.md mean them, each with a value
 * of its own.
 */
const parameters = [
  'token',
  'access_token',
  'api_key',
  'apikey',
  'key',
  'sig',
  'signature',
  'secret',
  'client_secret',
  'password',
  'pwd',
  'passwd',
  'auth',
  'authorization',
  'code',
  'credential',
  'X-Amz-Signature',
  'to%6Ben',
];
const secretOf = (i: number) => `Tr0ub4dor${i}x`;
const marker = /Tr0ub4dor\d+x/g;
const query = [...parameters.map((name, i) => `${name}=${secretOf(i)}`), 'page=visible7'].join('&');

const tellMs = 20_000;

/** Everything that left: requests with their addresses, and e-mails. */
function everything({ receivers, hooks, mail }: LabFixture): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const add = (name: string, text: string) => texts.set(name, `${texts.get(name) ?? ''}${text}\n`);
  for (const { contact, path, text } of receivers.received) add(contact, `${path} ${text}`);
  for (const { text } of hooks.hooks) add('hook', text);
  for (const { to, subject, text, html } of mail.mails) add(`mail to ${to}`, `${subject}\n${text}\n${html}`);
  return texts;
}

/** A device whose URL has credentials fails and returns; each channel tells of it. */
export const masked: Scene = {
  shows: 'the URL of a device has credentials in its login and its query: no channel shows one of them',
  fixture: { scale: 20, controllers: 1 },
  isPlainOnly: true,
  async play(fixture) {
    const { api, devices, network, truth, note } = fixture;
    const web = devices.find(({ name }) => name === 'web');
    const URL = `http://admin:${secretOf(99)}@${addresses.web}/login?${query}#frag-token=${secretOf(98)}`;
    const refusal = await api.call('PUT', `/devices/${web?.id}`, { URL });
    if (refusal.status !== 200) await api.ok('PUT', `/devices/${web?.id}`, { URL: URL.replace(/#.*/, '') });
    const own = await addContacts(fixture, Object.fromEntries(serviceTypes.map((type) => [type, type])));
    const id = await addContacts(fixture, { box: 'email' });
    const Contacts = [...serviceTypes.map(own), id('box'), fixture.contacts.hook, fixture.contacts.mail];
    await giveSchedule(fixture, ['web'], [{ DelayMinutes: 0, Contacts }]);
    // Only the counts of `hook` and `mail` are for the verdict; the others are read as they left.
    fixture.serviceTypes.clear();
    const differences = [...(await expectStatus(fixture, new Map([['web', 'Up']])))];
    network.cut('w');
    truth.begin('web', 'down', 'self');
    differences.push(...(await expectStatus(fixture, new Map([['web', 'Down']]))));
    const reached = () => new Set(fixture.receivers.received.map(({ contact }) => contact));
    const isTold = await until(async () => reached().size === serviceTypes.length, tellMs);
    note(`${reached().size} of ${serviceTypes.length} services have a message`);
    network.heal('w');
    truth.end('web', 'down', 'self');
    differences.push(...(await expectStatus(fixture, new Map([['web', 'Up']]))));
    await until(async () => fixture.mail.mails.length >= 4, tellMs);
    const silent = serviceTypes.filter((type) => !reached().has(type));
    const shown = [...everything(fixture)].flatMap(([name, text]) => {
      const found = [...new Set(text.match(marker))];
      return found.length === 0
        ? []
        : [`${name} shows ${found.join(', ')} of ${parameters.length} credentials`];
    });
    const hidden = [...everything(fixture)]
      .filter(([, text]) => !text.includes('visible7'))
      .map(([name]) => name);
    return {
      messages: new Map([
        ['device.down web', 1],
        ['device.up web', 1],
      ]),
      others: new Map([
        ['box device.down web', 1],
        ['box device.up web', 1],
      ]),
      facts: {
        'services told': reached().size,
        'credentials in the URL': parameters.length + 2,
        'channels that do not name the address': hidden.join(', ') || 'none',
      },
      differences: [...differences, ...(isTold ? [] : [`no message for ${silent.join(', ')}`]), ...shown],
    };
  },
};
