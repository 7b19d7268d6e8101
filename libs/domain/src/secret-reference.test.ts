import { expect, test } from 'vitest';
import {
  calledSecretNames,
  fillReferences,
  isSecretReference,
  referencedNames,
  secretNamePattern,
  secretReference,
} from './secret-reference.ts';

test('a reference is found by its scope only, as often as it occurs', () => {
  const text = `a ${secretReference('secret', 'x')} b ${secretReference('local', 'y')} ${secretReference('secret', 'x')}`;
  expect(referencedNames('secret', text)).toEqual(['x', 'x']);
  expect(referencedNames('local', text)).toEqual(['y']);
  expect(fillReferences('local', text, () => '1')).toBe(
    `a ${secretReference('secret', 'x')} b 1 ${secretReference('secret', 'x')}`,
  );
});

test('a reference without a value stays as it is', () => {
  const text = secretReference('secret', 'gone');
  expect(fillReferences('secret', text, () => undefined)).toBe(text);
  expect(fillReferences('secret', text, () => '')).toBe('');
});

test('a text is a reference only when it holds nothing else', () => {
  expect(isSecretReference(secretReference('secret', 'a.b-c_1'))).toBe(true);
  expect(isSecretReference(secretReference('local', 'a'))).toBe(true);
  for (const text of [
    '',
    'a',
    `x${secretReference('secret', 'a')}`,
    `\${other:a}`,
    secretReference('secret', ''),
  ])
    expect(isSecretReference(text), text).toBe(false);
});

test('a name has 1 to 100 plain characters', () => {
  expect(['a', 'A.b_c-9', 'x'.repeat(100)].every((text) => secretNamePattern.test(text))).toBe(true);
  expect(['', 'x'.repeat(101), 'a b', 'a}', 'ä'].some((text) => secretNamePattern.test(text))).toBe(false);
});

test('the calls of a script are found in every kind of quotes', () => {
  const script = `secret('a'); secret( "b" ); secret(\`local:c\`); mysecret('d'); secret(e)`;
  expect(calledSecretNames('secret', script)).toEqual(['a', 'b']);
  expect(calledSecretNames('local', script)).toEqual(['c']);
});
