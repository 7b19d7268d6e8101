import { methods } from '@vantage/domain';

/** A request with its body, and the code and message of the answer. */
type WrongRequest = readonly [request: string, body: unknown, answer: string];

const methodNames = methods.map((method) => JSON.stringify(method)).join(', ');
const nobody = '0123456789abcdef'.repeat(3);
/** A good device. */
export const device = { Method: 'HTTP', URL: 'https://www.example.org/', ShortName: 'web' };
const post = (fields: object) => ['POST /devices', { ...device, ...fields }] as const;
const options = (fields: object) => post({ Options: fields });
const tcp = (fields: object) => post({ Method: 'TCP', URL: 'db.example.org:5432', ...fields });

/**
 * Wrong requests as newcomers send them, with the texts that they read. `ID` in a path stands for the id of a device.
 */
export const wrongRequests: readonly WrongRequest[] = [
  [
    ...options({ ExpectStatus: '200' }),
    '1004 Options.ExpectStatus must be a list of at most 50 entries, but the text "200" was sent; write it as a list: ["200"].',
  ],
  [
    'GET /alerts?State=open',
    undefined,
    '1004 State must be one or more of Open, Acknowledged, Snoozed, Closed. Did you mean Open?',
  ],
  [...post({ Tags: ['nope'] }), '1004 There is no tag "nope". Create it first with POST /tags.'],
  ['PUT /alerts/acknowledge', {}, '1004 Send either Alerts or Filter.'],
  [
    'POST /mschedules',
    { Name: 'a', Start: '2026-01-04T02:30', Duration: '02:00', Recurrence: 'weekly' },
    '1004 Recurrence must be an RFC 5545 rule, for example FREQ=WEEKLY;BYDAY=SU, but "weekly" was sent.',
  ],
  [
    'POST /devices',
    { Method: 'HTTP', ShortName: 'web' },
    '1004 URL is required: what to check, for example https://www.example.org/.',
  ],
  [...post({ Attempts: 2, Retries: 5 }), '1004 Attempts must be Retries + 1 when both are sent.'],
  ['POST /session', {}, '1004 Send Key (with Name and Password if the key has them), or Email and Password.'],
  [
    'PUT /devices',
    device,
    '1004 ExternalKey is required in the query, for example ?ExternalKey=shop%2Fweb-1.',
  ],
  [
    'POST /devices',
    { Method: 'Script', URL: 'if (', ShortName: 'a' },
    '1004 The script ends too early (line 1, column 5).',
  ],
  [...post({ Enabled: 'yes' }), '1004 Enabled must be true, false or null, but the text "yes" was sent.'],
  [
    'GET /devices?Limit=abc',
    undefined,
    '1004 Limit must be the number of rows to return in digits, for example Limit=25, but "abc" was sent.',
  ],
  [
    'GET /devices?Limit=0',
    undefined,
    '1004 Limit must be at least 1 row, for example Limit=25, but the number 0 was sent.',
  ],
  ['GET /devices?Limit=5&Limit=6', undefined, '1004 Limit was sent 2 times; send it once.'],
  [
    'GET /devices?Limit=',
    undefined,
    '1004 Limit must be the number of rows to return in digits, for example Limit=25, but an empty text was sent.',
  ],
  [
    'GET /devices?Limit=-1',
    undefined,
    '1004 Limit must be the number of rows to return in digits, for example Limit=25, but "-1" was sent.',
  ],
  [
    'GET /devices?Offset=1e9',
    undefined,
    '1004 Offset must be the number of rows to skip in digits, for example Offset=25, but "1e9" was sent.',
  ],
  ['GET /devices?limit=5', undefined, '1004 limit is not a known query parameter; did you mean Limit?'],
  [
    'GET /devices?Filter=down',
    undefined,
    '1004 Filter must be All, Ok, Up, Down, Maint, Unknown, several of these joined by commas, or a tag_id, but "down" was sent.',
  ],
  [`GET /devices?Filter=${nobody}`, undefined, '1003 No such tag.'],
  ['GET /devices?fmt=yaml', undefined, '1004 fmt must be one of json, xml, csv, but "yaml" was sent.'],
  [
    'GET /devices/ID/events?Timestamp=yesterday',
    undefined,
    '1004 Timestamp must be a timestamp as 2026-02-25T22:38:03+01:00, with Z, with an offset, or with none for the account\'s time zone, but "yesterday" was sent.',
  ],
  [
    'GET /devices/ID/events?Timestamp=2026-02-29T10:00:00Z',
    undefined,
    '1004 Timestamp must be a moment that exists (2026-02 has 28 days), for example 2026-02-25T22:38:03Z, but "2026-02-29T10:00:00Z" was sent.',
  ],
  [
    'GET /devices/ID/events?Timestamp=2026-13-01T10:00:00Z',
    undefined,
    '1004 Timestamp must be a moment that exists, for example 2026-02-25T22:38:03Z, but "2026-13-01T10:00:00Z" was sent.',
  ],
  [
    'GET /devices/ID/checks?ResultCode=99',
    undefined,
    '1004 ResultCode must be one or more of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, but "99" was sent.',
  ],
  ['GET /devices/ID/checks?Location=nowhere', undefined, '1003 No such Location.'],
  [
    'GET /devices/ID/statistics?Bucket=minute',
    undefined,
    '1004 Bucket must be one of "All", "5Min", "15Min", "Hour", "6Hour", "Day", "Week", but "minute" was sent.',
  ],
  [
    'GET /devices/ID?WithConfig=yes',
    undefined,
    '1004 WithConfig must be one of "true", "Y", "false", "N", for example "true", but "yes" was sent.',
  ],
  ['GET /devices/x', undefined, '1003 No such device.'],
  [
    'POST /devices',
    {},
    `1004 Method is required: one of ${methodNames}. URL is required: what to check, for example https://www.example.org/. ShortName is required: 1 to 8 letters, digits or '-', for example web-1.`,
  ],
  [
    ...post({ Method: 'http' }),
    `1004 Method must be one of ${methodNames}, but "http" was sent; did you mean "HTTP"?`,
  ],
  [...post({ Method: 'GOPHER' }), `1004 Method must be one of ${methodNames}, but "GOPHER" was sent.`],
  [
    ...post({ ShortName: 'my server' }),
    '1004 ShortName must be 1 to 8 letters, digits or \'-\', for example web-1, but "my server" was sent.',
  ],
  [
    ...post({ ShortName: 5 }),
    "1004 ShortName must be 1 to 8 letters, digits or '-', for example web-1, but the number 5 was sent.",
  ],
  [
    ...post({ Frequency: 7 }),
    '1004 Frequency must be one of 1, 2, 5, 10, 20, 30, 60, or null, but the number 7 was sent.',
  ],
  [
    ...post({ Frequency: '5' }),
    '1004 Frequency must be one of 1, 2, 5, 10, 20, 30, 60, or null, but the text "5" was sent; write it without quotes: 5.',
  ],
  [
    ...post({ Timeout: '30' }),
    '1004 Timeout must be a whole number from 1 to 120 or null, but the text "30" was sent; write it without quotes: 30.',
  ],
  [
    ...post({ Timeout: 500 }),
    '1004 Timeout must be a whole number from 1 to 120 or null, but the number 500 was sent.',
  ],
  [
    ...post({ Timeout: 1.5 }),
    '1004 Timeout must be a whole number from 1 to 120 or null, but the number 1.5 was sent.',
  ],
  [
    ...post({ Retries: 1 }),
    '1004 Retries must be a whole number from 2 to 10 or null, but the number 1 was sent.',
  ],
  [
    ...post({ RetryDelay: true }),
    '1004 RetryDelay must be a whole number from 1 to 300 or null, but true was sent.',
  ],
  [
    ...post({ FullName: 'x'.repeat(2000) }),
    '1004 FullName must be a text of at most 1000 characters or null, but a text of 2000 characters was sent.',
  ],
  [
    ...post({ FullName: ['a'] }),
    '1004 FullName must be a text of at most 1000 characters or null, but a list of 1 was sent.',
  ],
  [
    ...post({ device_master_id: nobody }),
    '1004 device_master_id must be the id of a device of this account, or null, but "0123456789abcdef0123456789abcdef0123456789abcdef" was sent.',
  ],
  [
    ...post({ device_master_id: 5 }),
    '1004 device_master_id must be a text of at most 140 characters or null, but the number 5 was sent.',
  ],
  [
    ...post({ nschedule_id: 'x' }),
    '1004 nschedule_id must be the id of a notification schedule of this account, or null, but "x" was sent.',
  ],
  [
    ...post({ Locations: 'local' }),
    '1004 Locations must be a list of at most 1000 entries or null, but the text "local" was sent; write it as a list: ["local"].',
  ],
  [
    ...post({ Locations: ['nowhere'] }),
    '1004 Locations must be names or ids of Locations of this account, but "nowhere" was sent.',
  ],
  [
    ...post({ Locations: [5] }),
    '1004 Locations.0 must be a text of 1 to 200 characters, but the number 5 was sent.',
  ],
  [...post({ shortname: 'web' }), '1004 shortname is not a known field; did you mean ShortName?'],
  [
    ...post({ URL: 'www.example.org' }),
    '1004 URL must begin with http:// or https://, for example https://www.example.org/.',
  ],
  [
    ...post({ URL: 'https://www.example.org/a b' }),
    '1004 URL is not accepted: it holds a blank or a control character; accepted is http://host/path or https://user:password@host:port/path, for example https://www.example.org/.',
  ],
  [
    ...post({ URL: '' }),
    '1004 URL must begin with http:// or https://, for example https://www.example.org/.',
  ],
  [...post({ URL: 5 }), '1004 URL must be a text of at most 65536 characters, but a number was sent.'],
  [
    ...tcp({ URL: 'db.example.org' }),
    '1004 URL is not accepted: a port is missing; accepted is host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432.',
  ],
  [
    ...tcp({ URL: 'db.example.org:99999' }),
    '1004 URL is not accepted: port "99999" is not 1 to 65535; accepted is host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432.',
  ],
  [
    ...tcp({ URL: '-x:1' }),
    "1004 URL is not accepted: a host never begins with '-'; accepted is host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432.",
  ],
  [
    ...tcp({ URL: 'a b:1' }),
    '1004 URL is not accepted: it holds a blank or a control character; accepted is host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432.',
  ],
  [
    ...options({ IPFamily: 4 }),
    '1004 Options.IPFamily must be one of "4", "6", "Any", but the number 4 was sent; write it in quotes: "4".',
  ],
  [
    ...options({ Headers: { 'a b': 'x' } }),
    "1004 Options.Headers.a b is not a possible name: it must be a header's name such as X-Request-Id.",
  ],
  [
    ...options({ Headers: { A: 'line\nbreak' } }),
    "1004 Options.Headers.A must be a header's value: one line, Latin-1 only, but a text of 10 characters was sent.",
  ],
  [
    ...options({ Headers: { Connection: 'close' } }),
    '1004 Options.Headers must not name connection, content-length, transfer-encoding, upgrade, expect, te, trailer: the connection sets them.',
  ],
  [
    ...options({ Password: 5 }),
    '1004 Options.Password must be a text of at most 1024 characters, but a number was sent.',
  ],
  [
    ...options({ ExpectStatus: ['2xx'] }),
    '1004 Options.ExpectStatus.0 must be a status such as 200 or a range such as 200-299, but "2xx" was sent.',
  ],
  [
    ...options({ ExpectRegex: '(' }),
    '1004 Options.ExpectRegex must be a regular expression such as ^OK, but "(" was sent.',
  ],
  [
    ...options({ ExpectJSONPath: '$[?(@.a)]' }),
    '1004 Options.ExpectJSONPath is not accepted: no JSONPath from "[?(@.a)]" on; names, [\'names\'], [0], [1:3], * and .. are known.',
  ],
  [
    ...options({ expectstatus: ['200'] }),
    '1004 Options.expectstatus is not a known field; did you mean Options.ExpectStatus?',
  ],
  [
    ...options({ MaxTimeMs: 0 }),
    '1004 Options.MaxTimeMs must be a whole number from 1 to 120000, but the number 0 was sent.',
  ],
  [
    ...options({ TLS: { Verify: 'no' } }),
    '1004 Options.TLS.Verify must be true or false, but the text "no" was sent.',
  ],
  [
    ...options({ TLS: { CA: 'certificate' } }),
    '1004 Options.TLS.CA must be a certificate in PEM form (-----BEGIN CERTIFICATE----- …), but a text of 11 characters was sent.',
  ],
  [...post({ Options: [] }), '1004 Options must be an object or null, but an empty list was sent.'],
  ['PUT /devices/ID', { Method: 'PING' }, "1005 Method cannot be changed: this device's is HTTP."],
  [
    'PUT /devices/ID',
    { HostData: { headers: { A: 1 } } },
    '1004 HostData.headers.A must be a text of at most 8192 characters, but a number was sent.',
  ],
  [
    'PUT /devices/ID/start-maintenance',
    { Duration: '1h' },
    '1004 Duration must be hours and minutes as HH:MM from 00:01 to 99:59, for example 01:30, but "1h" was sent.',
  ],
  [
    'PUT /devices/ID/start-maintenance',
    { Duration: 60 },
    '1004 Duration must be hours and minutes as HH:MM from 00:01 to 99:59, for example 01:30, or null, but the number 60 was sent.',
  ],
  [
    'PUT /devices/ID/start-maintenance',
    { duration: '01:00' },
    '1004 duration is not a known field; did you mean Duration?',
  ],
  ['PUT /devices/ID/stop-maintenance', { Reason: 'x' }, '1004 Reason is not a known field.'],
  [
    'POST /tags',
    { Name: [] },
    '1004 Name must be a text of 1 to 200 characters, but an empty list was sent.',
  ],
  [
    'POST /tags',
    { Name: '' },
    '1004 Name must be a text of 1 to 200 characters, but an empty text was sent.',
  ],
  ['POST /tags', {}, '1004 Name is required: a text of 1 to 200 characters.'],
  [
    'PUT /account',
    { Timezone: 'CET+1' },
    '1004 Timezone must be the IANA name of a time zone, for example Europe/Berlin, but "CET+1" was sent.',
  ],
  [
    'PUT /account',
    { DefaultLocations: ['nowhere'] },
    '1004 DefaultLocations must be names or ids of Locations of this account, but "nowhere" was sent.',
  ],
  [
    'POST /secrets',
    { Name: 'a b', Value: 'v' },
    "1004 Name must be 1 to 100 letters, digits, '_', '.' or '-', for example db-password, but \"a b\" was sent.",
  ],
  [
    'POST /secrets',
    { Name: 'a', Value: 12345 },
    '1004 Value must be a text of 1 to 65536 characters, but a number was sent.',
  ],
  ['POST /secrets', 'text', '1000 The body must be a JSON object, for example {"Name": "web"}.'],
  ['PATCH /devices', undefined, '1000 PATCH is not supported here; supported: GET, HEAD, POST, PUT.'],
  [
    'GET /device',
    undefined,
    '1000 There is no such address in this API; /v1.1/openapi.json describes all of them.',
  ],
  ['GET /uptime?Devices=x', undefined, '1003 No such device.'],
];
