import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { radiusAnswer } from '../../testing/radius-server.ts';
import { hidePassword, radiusAttribute, radiusRequest, readRadiusAnswer } from './radius-packets.ts';

test('the hidden password of the example in RFC 2865 section 7.1', () => {
  const authenticator = Buffer.from('0f403f9473978057bd83d5cb98f4227a', 'hex');
  expect(hidePassword('arctangent', 'xyzzy5461', authenticator).toString('hex')).toBe(
    '0dbe708d93d413ce3196e43f782a0aee',
  );
});

test('a server reads every password that a request hides', () => {
  const password = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => {
    const bytes = Buffer.byteLength(text);
    return bytes <= 128 && !text.includes('\0');
  });
  fc.assert(
    fc.property(password, fc.string({ minLength: 1, maxLength: 60 }), (text, secret) => {
      const request = radiusRequest(1, secret, [[radiusAttribute.userName, 'me']], text);
      let seen: string | undefined;
      const codeFor = (password: string | undefined) => {
        seen = password;
        return 2;
      };
      const answer = radiusAnswer(request.bytes, { secret, codeFor });
      expect(seen).toBe(text);
      expect(answer && readRadiusAnswer(answer, request, secret)).toMatchObject({
        kind: 'answer',
        answer: { code: 2, isProtected: true },
      });
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('an answer that differs in one bit is not trusted', () => {
  const request = radiusRequest(12, 'testing123', []);
  const answer = radiusAnswer(request.bytes, { secret: 'testing123', replyMessage: 'fine' });
  if (!answer) throw new Error('the server does not trust the request');
  for (let bit = 0; bit < answer.length * 8; bit += 1) {
    const other = Buffer.from(answer);
    other.writeUInt8(other.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(readRadiusAnswer(other, request, 'testing123').kind, `bit ${bit}`).not.toBe('answer');
  }
});

test('hostile bytes are never an answer and never throw', () => {
  const request = radiusRequest(12, 'secret', []);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (input) => {
      const bytes = Buffer.from(input);
      if (bytes.length > 1) bytes.writeUInt8(request.id, 1);
      if (bytes.length > 3) bytes.writeUInt16BE(bytes.length, 2);
      expect(readRadiusAnswer(bytes, request, 'secret').kind).not.toBe('answer');
    }),
    { numRuns: propertyRuns(500) },
  );
});

test('the Message-Authenticator is the first attribute of a request', () => {
  expect(radiusRequest(1, 's', [[1, 'me']], 'pw').bytes.readUInt8(20)).toBe(80);
});
