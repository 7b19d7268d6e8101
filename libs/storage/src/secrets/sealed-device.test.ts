import { calledSecretNames } from '@vantage/domain';
import { expect, test } from 'vitest';
import { fillSecrets, secretNames } from './sealed-device.ts';

const reference = (name: string) => ['$', '{secret:', name, '}'].join('');
const options = {
  Password: reference('mail'),
  Headers: { Authorization: `Bearer ${reference('a.b-c_1')}` },
  Steps: [{ Send: `${reference('mail')}${reference('other')}` }],
  SlowMs: 5,
};

test('references are found wherever they stand', () => {
  expect(secretNames(options)).toEqual(new Set(['mail', 'a.b-c_1', 'other']));
});

test('known ones are filled in, unknown ones stay, nothing else changes', () => {
  const values = new Map([
    ['mail', 'a $& b'],
    ['a.b-c_1', reference('mail')],
  ]);
  expect(fillSecrets(options, (name) => values.get(name))).toEqual({
    Password: 'a $& b',
    Headers: { Authorization: `Bearer ${reference('mail')}` },
    Steps: [{ Send: `a $& b${reference('other')}` }],
    SlowMs: 5,
  });
});

test.each<[string, string[]]>([
  ['login("x", secret("pop"))', ['pop']],
  ["const a = secret( 'a' ) + secret(`b`)", ['a', 'b']],
  ['secret(name)', []],
  ['secret("a\')', []],
  ['notsecret("a")', []],
])('a script that says %s asks for %j', (text, names) => {
  expect(calledSecretNames('secret', text)).toEqual(names);
});

test('references to local secrets stay for the agent', () => {
  const local = ['$', '{local:mail}'].join('');
  const given = { Password: local, Headers: { Cookie: `a=${local}` } };
  expect(secretNames(given)).toEqual(new Set());
  expect(fillSecrets(given, () => 'x')).toEqual(given);
  expect(calledSecretNames('secret', 'secret("local:mail")')).toEqual([]);
});
