import fc from 'fast-check';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import { expect, test } from 'vitest';
import { mailSecurities, mailServerOf, smtpUrlOf } from './mail-server.ts';

const text = fc
  .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
  .filter((each) => each.isWellFormed());
const login = fc.option(fc.record({ User: text, Password: text }), { nil: null });
const server = fc
  .record({
    Host: fc.constantFrom('mail.example.org', '192.0.2.25', '2001:db8::25', 'localhost'),
    Port: fc.integer({ min: 1, max: 65_535 }),
    Security: fc.constantFrom(...mailSecurities),
    VerifyCertificate: fc.boolean(),
    login,
  })
  .map(({ login: known, ...rest }) => ({
    ...rest,
    User: known?.User ?? null,
    Password: known?.Password ?? null,
  }));

test('an address is read back as the mail server of which it was made, also by the library that connects', () => {
  fc.assert(
    fc.property(server, (made) => {
      const url = smtpUrlOf(made);
      expect(mailServerOf(url)).toEqual(made);
      const options = parseConnectionUrl(url);
      expect(options.port).toBe(made.Port);
      expect(options.host?.replace(/^\[|\]$/g, '')).toBe(made.Host);
      expect(options.secure).toBe(made.Security === 'TLS');
      expect(options.requireTLS === true).toBe(made.Security === 'STARTTLS');
      expect(options.ignoreTLS === true).toBe(made.Security === 'None');
      expect(options.tls?.rejectUnauthorized === false).toBe(!made.VerifyCertificate);
      expect(options.auth?.user ?? null).toBe(made.User);
      expect(options.auth?.pass ?? null).toBe(made.Password);
    }),
  );
});

test.each([
  ['smtp://mail.example.org', { Port: 587, Security: 'Optional', User: null, Password: null }],
  ['smtps://mail.example.org', { Port: 465, Security: 'TLS' }],
  ['smtp://me:a%40b%@mail.example.org:25', { Port: 25, User: 'me', Password: 'a%40b%' }],
])('%s is read as an operator means it', (url, expected) => {
  expect(mailServerOf(url)).toMatchObject(expected);
});
