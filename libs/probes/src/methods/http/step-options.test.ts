// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import { describe, expect, test } from 'vitest';
import { httpOptions } from './http-options.ts';
import { hasFixedOrigin } from './step-values.ts';

const faults = (options: unknown) =>
  httpOptions.safeParse(options).error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`) ??
  [];

describe('Steps', () => {
  test.each([
    '/login',
    '/login?a=${x}',
    '?page=2',
    'https://w.example/',
    'http://w.example:8080/a/${x}',
    'https://${x}.example/',
    '${x}',
    '${x}/more',
    undefined,
  ])('accept the URL %s', (URL) => {
    const first = { Name: 'a', Extract: [{ Name: 'x', Header: 'X' }] };
    expect(faults({ Steps: [first, { Name: 'b', ...(URL !== undefined && { URL }) }] })).toEqual([]);
  });

  test.each([
    ['login', 'must be http://host/path'],
    ['//evil.example/', 'must be http://host/path'],
    ['/\\evil.example/', 'must be http://host/path'],
    ['ftp://w.example/', 'must be http://host/path'],
    ['https://u:p@w.example/', 'must hold no login'],
    ['https://w.example/ x', 'must hold no blank'],
    ['https://w.example/?api_key=abc', 'must hold no credential in its query'],
    ['/?token=abc', 'must hold no credential in its query'],
    ['/${secret:KEY}', 'must hold no secret'],
    ['https://${local:HOST}/', 'must hold no secret'],
    ['https://-w.example/', "is not accepted: a host never begins with '-'"],
    ['/${x}', 'uses ${x}, which no earlier step extracts'],
  ])('refuse the URL %s', (URL, message) => {
    const [fault] = faults({ Steps: [{ Name: 'a', URL }] });
    expect(fault).toContain(`Steps.0.URL ${message}`);
  });

  test('a value is known to later steps only', () => {
    const taking = { Name: 'a', Body: '${x}', Extract: [{ Name: 'x', Header: 'X' }] };
    expect(faults({ Steps: [taking, { Name: 'b', Body: '${x}', Headers: { A: '${y}' } }] })).toEqual([
      'Steps.0.Body uses ${x}, which no earlier step extracts',
      'Steps.1.Headers.A uses ${y}, which no earlier step extracts',
    ]);
  });

  test('references to secrets stay, and are no values', () => {
    const Steps = [{ Name: 'a', Headers: { A: '${secret:KEY}' }, Body: '${local:KEY} ${ $x {x} ${1}' }];
    expect(faults({ Steps })).toEqual([]);
  });

  test.each([
    [{ Name: 'x' }, 'Steps.0.Extract.0 must hold exactly one of JSONPath, Regex, Header and Cookie'],
    [
      { Name: 'x', Header: 'A', Cookie: 'b' },
      'Steps.0.Extract.0 must hold exactly one of JSONPath, Regex, Header and Cookie',
    ],
    [{ Name: 'x', Regex: 'abc' }, 'Steps.0.Extract.0.Regex must have exactly one group'],
    [{ Name: 'x', Regex: '(a)(b)' }, 'Steps.0.Extract.0.Regex must have exactly one group'],
    [{ Name: 'x', Regex: '(' }, 'Steps.0.Extract.0.Regex must be a regular expression'],
    [{ Name: '1x', Header: 'A' }, 'Steps.0.Extract.0.Name must be a name'],
    [{ Name: 'x', JSONPath: '$[?]' }, 'Steps.0.Extract.0.JSONPath is not accepted'],
  ])('the value %j is refused', (extract, message) => {
    expect(faults({ Steps: [{ Name: 'a', Extract: [extract] }] }).join('\n')).toContain(message);
  });

  test('names are unique, ten are the most, and texts use at most 50 values', () => {
    const steps = Array.from({ length: 11 }, (_, at) => ({ Name: `s${at}` }));
    expect(faults({ Steps: steps })[0]).toMatch(/^Steps /);
    expect(faults({ Steps: [{ Name: 'a' }, { Name: 'a' }] })).toEqual([
      'Steps.1.Name must be unique: an earlier step has this name',
    ]);
    const many = { Name: 'b', Body: '${x}'.repeat(51) };
    expect(faults({ Steps: [{ Name: 'a', Extract: [{ Name: 'x', Header: 'X' }] }, many] })).toEqual([
      'Steps.1.Body must use at most 50 values',
    ]);
  });

  test.each([
    { Method: 'POST' },
    { Body: 'x' },
    { ExpectStatus: ['200'] },
    { ExpectText: 'x' },
    { RejectText: 'x' },
    { ExpectRegex: 'x' },
    { ExpectJSONPath: '$.a' },
    { ExpectHeaders: { A: '' } },
    { MinSize: 1 },
    { ExpectSHA256: 'a'.repeat(64) },
  ])('%j belongs into a step', (option) => {
    const [key = ''] = Object.keys(option);
    expect(faults({ ...option, Steps: [{ Name: 'a' }] })[0]).toMatch(`${key} must not be set beside Steps`);
    expect(faults(option)).toEqual([]);
  });
});

test.each([
  ['/a', true],
  ['?a=${x}', true],
  ['https://w.example', true],
  ['https://w.example/${x}', true],
  ['https://w.example?${x}', true],
  ['https://w.example\\${x}', true],
  ['https://${x}.example/', false],
  ['https://w.example:${x}/', false],
  ['${x}', false],
  ['//${x}/', false],
])('the origin of %s is fixed: %s', (url, isFixed) => {
  expect(hasFixedOrigin(url)).toBe(isFixed);
});
