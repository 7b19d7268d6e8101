// A process that delivers notifications until it is killed: node worker-process.ts DATABASE_URL SEALING_KEY_HEX
import { createLog, newId, systemClock } from '@vantage/kernel';
import { createDb } from '@vantage/storage';
import { createSealer } from '@vantage/storage/secrets/seal';
import { createChannels } from '../../channels/channel-registry.ts';
import { createDeliveries } from '../deliveries.ts';

const [, , url = '', key = ''] = process.argv;
const log = createLog('worker', 'silent');
const db = await createDb({ connection: { url }, log });
await createDeliveries({
  db,
  log,
  clock: systemClock,
  sealer: createSealer(Buffer.from(key, 'hex')),
  newToken: newId,
  channels: createChannels({ allowPrivate: true, smtpUrl: undefined, mailFrom: 'v@example.org' }),
  linkOf: () => 'https://vantage.example/',
  readDay: async () => null,
  onFailed: async () => {},
}).run(new AbortController().signal);
