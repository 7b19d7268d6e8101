import { expect, test } from 'vitest';
import { DigestLogin } from './digest-login.ts';

function loginOf(user: string, password: string, cnonce: string) {
  const redacted: string[] = [];
  const login = new DigestLogin({
    user,
    password,
    cnonce: () => cnonce,
    redact: (text) => void redacted.push(text),
  });
  const challenge = (header: string) =>
    login.accepts({ status: 401, headers: { 'www-authenticate': header } });
  return { login, challenge, redacted };
}

const get = { method: 'GET', uri: '/dir/index.html' };
const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const opaque = 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS';
const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

// RFC 7616 section 3.9.1.
test.each([
  ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
  ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
])('%s gives the response of the example in RFC 7616', (algorithm, response) => {
  const { login, challenge, redacted } = loginOf('Mufasa', 'Circle of Life', cnonce);
  const fits = challenge(
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"`,
  );
  expect(fits).toBe(true);
  expect(login.authorization(get)).toBe(
    `Digest username="Mufasa", realm="http-auth@example.org", nonce="${nonce}", uri="/dir/index.html", response="${response}", algorithm=${algorithm}, opaque="${opaque}", qop=auth, nc=00000001, cnonce="${cnonce}"`,
  );
  expect(redacted).toContain(response);
});

test('the response of the example in RFC 2617, and without qop the one of RFC 2069', () => {
  const old = loginOf('Mufasa', 'Circle Of Life', '0a4f113b');
  const start = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
  old.challenge(`${start}, qop="auth"`);
  expect(old.login.authorization(get)).toContain('response="6629fae49393a05397450978507c4ef1"');
  old.challenge(`${start}, stale=true`);
  const bare = old.login.authorization(get);
  expect(bare).toContain('response="670fd8c2df070c60b045671b8b24ff02"');
  expect(bare).not.toMatch(/qop|nc=|cnonce|algorithm/);
});

test('a nonce is counted up, and a new one begins again', () => {
  const { login, challenge } = loginOf('u', 'p', 'c');
  expect(login.authorization(get)).toBeUndefined();
  challenge('Digest realm="r", nonce="n1", qop="auth"');
  expect(login.authorization(get)).toContain('nc=00000001');
  expect(login.authorization(get)).toContain('nc=00000002');
  expect(challenge('Digest realm="r", nonce="n2", qop="auth", stale=TRUE')).toBe(true);
  expect(login.authorization(get)).toMatch(/nonce="n2".*nc=00000001/);
  login.accepts({ status: 200, headers: { 'authentication-info': 'nextnonce="n3"' } });
  expect(login.authorization(get)).toMatch(/nonce="n3".*nc=00000001/);
});

test('the same realm again is a refusal, another realm is not', () => {
  const { login, challenge } = loginOf('u', 'p', 'c');
  challenge('Digest realm="r", nonce="n1", qop="auth"');
  login.authorization(get);
  expect(challenge('Digest realm="r", nonce="n2", qop="auth"')).toBe(false);
  expect(challenge('Digest realm="s", nonce="n2", qop="auth"')).toBe(true);
});

test.each([
  ['Basic realm="a", Negotiate', 'the server offers no Digest login, but basic, negotiate'],
  ['', 'the server offers no Digest login'],
  [
    'Digest nonce="n", algorithm=SHA-512-256',
    'the server wants Digest with SHA-512-256; this agent knows MD5, MD5-sess, SHA-256 and SHA-256-sess',
  ],
  ['Digest nonce="n", qop="auth-int"', 'the server wants Digest with qop auth-int; this agent knows auth'],
  ['Digest realm="r"', 'the Digest challenge of the server has no nonce'],
])('%s does not fit: %s', (header, problem) => {
  const { login, challenge } = loginOf('u', 'p', 'c');
  expect(challenge(header)).toBe(false);
  expect(login.problem).toBe(problem);
});

test('the first challenge that fits is used', () => {
  const { login, challenge } = loginOf('u', 'p', 'c');
  challenge(
    'Digest nonce="1", algorithm=SHA-512-256, Digest nonce="2", algorithm=SHA-256-sess, qop="auth", Digest nonce="3"',
  );
  expect(login.authorization(get)).toMatch(/nonce="2".*algorithm=SHA-256-sess/);
});

test('a user is quoted, encoded, or hashed where the server wants that', () => {
  const quoted = loginOf('a"b\\c', 'p', 'c');
  quoted.challenge('Digest nonce="n"');
  expect(quoted.login.authorization(get)).toContain('username="a\\"b\\\\c"');
  const encoded = loginOf('Jäsøn', 'p', 'c');
  encoded.challenge('Digest nonce="n"');
  expect(encoded.login.authorization(get)).toContain("username*=UTF-8''J%C3%A4s%C3%B8n");
  encoded.challenge('Digest nonce="m", stale=true, userhash=true, realm="r"');
  expect(encoded.login.authorization(get)).toMatch(/username="[0-9a-f]{32}".*userhash=true/);
});
