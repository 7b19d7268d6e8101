import { installationSamples } from './installation-samples.ts';
import { type MessageSample, singleSample } from './message-sample.ts';
import {
  anchor,
  at,
  contact,
  down,
  flapping,
  links,
  location,
  notice,
  page,
  port,
  router,
  since,
  up,
  web,
} from './sample-facts.ts';

/** Each kind of message once, with the facts that it has in a usual case. */
export const messageSamples: readonly MessageSample[] = [
  singleSample('device.down', 'A device is Down, from two Locations.', 'device.down', {
    clock: '08:31:06',
    data: down,
    links,
  }),
  singleSample('device.down of a master', 'A router is Down. 30 devices are behind it.', 'device.down', {
    clock: '08:31:06',
    data: router,
    links,
  }),
  singleSample(
    'A repeat',
    '`RepeatMinutes` of the step passed twice, and nobody has acknowledged.',
    'device.down',
    {
      clock: '08:52:06',
      data: { ...down, Number: 3 },
      links,
    },
  ),
  singleSample('device.up', 'The device is Up again.', 'device.up', {
    clock: '08:52:10',
    data: { ...up, AcknowledgedBy: 'Ada' },
  }),
  singleSample(
    'device.flapping',
    'The fourth outage within a short time has lasted for two minutes.',
    'device.flapping',
    {
      clock: '08:30:00',
      data: { ...flapping, Status: 'Down', DownSince: at('08:28:00'), FailingLocations: ['Hamburg'] },
      links,
    },
  ),
  singleSample('The end of a flapping', '30 minutes passed without a change.', 'device.up', {
    clock: '09:01:00',
    data: {
      ...up,
      Since: at('08:31:00'),
      DownSince: at('08:12:00'),
      Outages: 4,
      Seconds: 700,
      Began: at('08:20:00'),
      Cause: 'connection refused',
    },
  }),
  singleSample(
    'device.partial',
    'The device fails from one Location, three times in a row.',
    'device.partial',
    {
      clock: '08:31:06',
      data: {
        ...web,
        Status: 'Up',
        Since: since,
        CheckResult: 'TLS: the certificate is for another name',
        FailingLocations: ['Hamburg'],
        GoodLocations: ['Oslo', 'Rome'],
        AlertKind: 'device.partial',
        Began: since,
        Cause: 'TLS: the certificate is for another name',
      },
      links,
    },
  ),
  singleSample('device.slow', 'Good checks take longer than `SlowMs`.', 'device.slow', {
    clock: '08:31:06',
    data: {
      ...web,
      Severity: 'warning',
      Status: 'Up',
      Since: since,
      CheckResult: 'took 2300 ms',
      AlertKind: 'device.slow',
      Began: since,
      Cause: 'took 2300 ms',
    },
    links,
  }),
  singleSample('certificate.expiring', '7 days before the end.', 'certificate.expiring', {
    clock: '08:28:10',
    data: {
      ...web,
      Severity: 'warning',
      Status: 'Up',
      Since: since,
      CheckResult: '7 days left',
      DaysLeft: 7,
      NotAfter: '2026-11-29T12:00:00+01:00',
      AlertKind: 'certificate.expiring',
      Began: since,
    },
  }),
  singleSample('interface.down', 'An interface of a switch is down. The switch is Up.', 'interface.down', {
    clock: '08:31:06',
    data: port,
    links,
  }),
  singleSample('interface.up', 'The interface is up again.', 'interface.up', {
    clock: '08:52:10',
    data: {
      ...port,
      Since: at('08:52:06'),
      DownSince: since,
      Seconds: 1_440,
      CheckResult: 'ge-0/0/17 “uplink hall 2” is Up again',
    },
  }),
  singleSample(
    'location.offline',
    'The last agent of a Location was not heard for a minute.',
    'location.offline',
    {
      clock: '08:29:10',
      data: {
        ...location,
        Status: 'Unknown',
        Since: since,
        Devices: 30,
        CheckResult: null,
        LastHeard: { Agent: 'hamburg-1', At: since, Left: false },
      },
      links,
    },
  ),
  singleSample('location.online', 'An agent is back.', 'location.online', {
    clock: '08:52:06',
    data: { ...location, Status: 'Up', Since: at('08:52:06'), DownSince: since, Seconds: 1_440 },
  }),
  singleSample('anchor.down', 'A host on the way to the devices does not answer.', 'anchor.down', {
    clock: '08:28:08',
    data: { ...anchor, Status: 'Unknown', Since: since, CheckResult: 'no answer to two checks' },
    links,
  }),
  singleSample('anchor.up', 'It answers again.', 'anchor.up', {
    clock: '08:52:06',
    data: { ...anchor, Status: 'Up', Since: at('08:52:06'), DownSince: since, Seconds: 1_440 },
  }),
  singleSample('agent.fenced', "Two processes used one agent's identity.", 'agent.fenced', {
    clock: '08:28:06',
    data: {
      Agent: 'hamburg-1',
      Location: 'Hamburg',
      Hosts: ['host-a', 'host-b'],
      Severity: 'critical',
      Status: 'Unknown',
      Since: since,
      CheckResult: null,
      AlertKind: 'agent.fenced',
      Began: since,
    },
  }),
  singleSample('contact.failing', 'A contact was not reached for 30 minutes.', 'contact.failing', {
    clock: '08:58:06',
    data: { ...contact, Status: 'Unknown', Since: since, CheckResult: 'HTTP 401 Unauthorized' },
  }),
  singleSample('contact.failing, its end', 'It accepted a message again.', 'contact.failing', {
    clock: '09:10:00',
    data: {
      ...contact,
      Status: 'Up',
      Since: at('09:09:58'),
      DownSince: since,
      Seconds: 2_512,
      CheckResult: null,
      Recovered: true,
    },
  }),
  ...installationSamples,
  singleSample(
    'late.summary',
    'Results that an agent kept while it was cut off tell of outages that are over.',
    'late.summary',
    {
      clock: '09:40:00',
      data: {
        Location: 'Hamburg',
        Severity: 'info',
        Status: 'Unknown',
        Since: since,
        Count: 2,
        Outages: [
          {
            device_id: 'd1'.repeat(24),
            ShortName: 'web',
            FullName: 'Web shop',
            Start: since,
            End: at('08:40:06'),
            Seconds: 720,
            IsOver: true,
          },
          {
            device_id: 'd2'.repeat(24),
            ShortName: 'mail',
            FullName: null,
            Start: at('08:30:00'),
            End: at('08:31:00'),
            Seconds: 60,
            IsOver: true,
          },
        ],
      },
    },
  ),
  singleSample('acknowledged', 'Somebody acknowledged the alert.', 'acknowledged', {
    clock: '08:35:00',
    data: { ...down, By: 'Ada', Note: 'on it' },
  }),
  singleSample('closed', 'The device was paused while it was Down.', 'closed', {
    clock: '08:35:00',
    data: { ...web, Since: since, Reason: 'device paused', AlertKind: 'device.down', Began: since },
  }),
  {
    title: 'A group',
    when: 'From the sixth message within a minute on: one a minute.',
    notices: [
      notice('device.up', {
        clock: '08:32:00',
        data: { ...up, ShortName: 'mail', Since: at('08:31:58'), Seconds: 232 },
      }),
      ...['db1', 'db2', 'printer', 'web2', 'web'].map((ShortName, place) =>
        notice('device.down', {
          clock: '08:32:00',
          data: { ...down, ShortName, Severity: place === 2 ? 'info' : 'critical' },
          links: { ...links, acknowledgeAll: `${page}acknowledge-all…` },
        }),
      ),
    ],
  },
  singleSample('test', '`POST /contacts/{id}/test`.', 'test', {
    clock: '08:28:06',
    data: { Contact: 'noc', Message: 'This is a test message. Nothing has happened.' },
  }),
];
