import type { MessageKind } from '@vantage/alerts';
import type { Notice } from './channel.ts';
import { factText } from './fact-text.ts';

const over = () => 'nothing; the alert is closed';

const nexts: Readonly<Partial<Record<MessageKind | 'test', (data: Notice['data']) => string | undefined>>> = {
  'certificate.expiring': () => 'renew the certificate; the next reminder comes nearer to its end',
  'agent.fenced': ({ Agent }) =>
    `end the copy, then release ${factText(Agent) ?? 'the agent'}: ./vantage agents list shows its id, ./vantage agents unfence ID releases it`,
  'contact.failing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; messages that waited are sent now'
      : "correct the contact's Address, then send a test: what waits leaves at once",
  'clock.wrong': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; results that waited are judged again'
      : 'the operator corrects the clock that is named; checks and alerts continue, and nothing is deleted meanwhile',
  'disk.low': ({ Recovered }) =>
    Recovered === true
      ? 'nothing; waiting work continues'
      : 'the operator makes room; at the end of it results wait at their agents, and nothing is lost',
  'backup.old': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator finds out why no backup was made since: ./vantage backup FILE --verify',
  'database.back': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator looks for devices, contacts and keys that were changed in that time, and changes them again',
  'certificate.failing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator corrects the files of VANTAGE_TLS_CERT and VANTAGE_TLS_KEY; the controller reads them within a minute',
  'key.missing': ({ Recovered }) =>
    Recovered === true
      ? 'nothing'
      : 'the operator puts secret.key back before a controller is started again; until then everything keeps running',
  'late.summary': () => 'nothing; all of them have ended',
  'location.offline': () =>
    'see whether its hosts run and reach the controller; on a host: vantage-agent logs',
  'device.up': over,
  'interface.up': over,
  'location.online': over,
  'anchor.up': over,
  acknowledged: () => 'nothing; the next message comes at its end',
  test: () => 'nothing; this contact works',
};

export const nextByKind = new Map(Object.entries(nexts));
