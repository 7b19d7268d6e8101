import { expect, test } from 'vitest';
import {
  type InstallationSettings,
  mailDraft,
  mailServerBody,
  settingsBody,
  withSecurity,
  withServer,
} from './mail-draft.ts';

const stored: InstallationSettings = {
  MailServer: {
    Host: 'mail.example.org',
    Port: 2525,
    Security: 'TLS',
    VerifyCertificate: false,
    User: 'me',
    Password: '***',
  },
  MailFrom: 'noc@example.org',
  PrivateWebhooks: true,
  SetBy: { MailServer: null, MailFrom: null, PrivateWebhooks: null },
  UpdatedAt: null,
};

test('settings that nobody edited are sent back as they were read', () => {
  const { MailServer, MailFrom, PrivateWebhooks } = stored;
  expect(settingsBody(mailDraft(stored), stored)).toEqual({ MailServer, MailFrom, PrivateWebhooks });
  const none = { ...stored, MailServer: null };
  expect(settingsBody(mailDraft(none), none)).toMatchObject({ MailServer: null });
});

test('a field that an environment variable sets is not sent', () => {
  const SetBy = { MailServer: 'VANTAGE_SMTP_URL', MailFrom: null, PrivateWebhooks: 'X' };
  expect(settingsBody(mailDraft(stored), { SetBy })).toEqual({ MailFrom: 'noc@example.org' });
});

test('another encryption brings its usual port, but never replaces a port that a person chose', () => {
  const fresh = mailDraft({ ...stored, MailServer: null });
  expect(fresh.port).toBe('587');
  expect(withSecurity(fresh, 'TLS')).toEqual({ security: 'TLS', port: '465' });
  expect(withSecurity({ ...fresh, port: '26' }, 'TLS')).toEqual({ security: 'TLS' });
});

test('the mask of a password does not go to another server', () => {
  const draft = mailDraft(stored);
  expect(withServer(draft, { host: 'other' })).toEqual({ host: 'other', password: '' });
  expect(withServer({ ...draft, password: 'typed' }, { host: 'other' })).toEqual({ host: 'other' });
});

test('a port that is no number is refused by the API, not dropped', () => {
  expect(mailServerBody({ ...mailDraft(stored), port: 'abc' })).toMatchObject({ Port: 0 });
});
