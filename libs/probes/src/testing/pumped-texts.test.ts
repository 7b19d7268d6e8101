import { describe, expect, test } from 'vitest';
import { registry } from '../engine/registry.ts';
import { keyProblems } from '../methods/ssh/key-problems.ts';
import { maskOptions } from '../redact/secret-options.ts';
import { acceptedExamples, costliest, isBounded, pumpedTexts, textFields } from './pumped-texts.ts';

const maxCpuMs = 50;
/** Methods share fields (TLS, User): each is tried once. */
const tried = new Set<unknown>();

describe.each(Object.values(registry))('the settings of $method', (probe) => {
  const fields = textFields(probe.options);

  test('the length of every text is judged before anything else', () => {
    expect(fields.filter(({ schema }) => !isBounded(schema)).map(({ name }) => name)).toEqual([]);
  });

  test('no text of 20,000 characters costs more than 50 ms', () => {
    for (const field of fields) {
      if (tried.has(field.schema)) continue;
      tried.add(field.schema);
      const most = field.schema.maxLength ?? 0;
      const judge = (text: string) => {
        const given = field.put(text);
        probe.options.safeParse(given, { reportInput: true });
        maskOptions(probe, given);
        keyProblems(probe, given);
      };
      const texts = [...new Set(acceptedExamples(field).flatMap((each) => pumpedTexts(each, most)))];
      for (const text of texts.slice(0, 20)) judge(text); // until the code is compiled
      const { cpuMs, ...worst } = costliest(field.name, texts, judge);
      expect(cpuMs, JSON.stringify(worst)).toBeLessThan(maxCpuMs);
    }
  });

  test('no URL of 20,000 characters costs more than 50 ms', () => {
    const urls = [
      'host.example:25',
      '[2001:db8::1]:25',
      'http://user:pass@host.example:80/path?a=b',
      'dns://s/name?type=A',
    ];
    const texts = urls.flatMap((each) => pumpedTexts(each, 2048));
    for (const text of texts.slice(0, 20)) probe.parseTarget(text);
    const { cpuMs, ...worst } = costliest('URL', texts, (text) => void probe.parseTarget(text));
    expect(cpuMs, JSON.stringify(worst)).toBeLessThan(maxCpuMs);
  });
});

test('a text whose limit does not end the judgement, or that has none, is found', () => {
  const [bounded] = textFields(registry.HTTP.options).filter(({ name }) => name === 'ExpectJSONPath');
  expect(bounded && isBounded(bounded.schema)).toBe(true);
  expect(textFields(registry.HTTP.options).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['Headers.{name}', 'Headers.a', 'ExpectStatus.0', 'TLS.CA']),
  );
});
