import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isResponseTo,
  optionsRequest,
  readSipDatagram,
  readSipResponse,
  type SipRequest,
} from './sip-messages.ts';

const request: SipRequest = {
  uri: 'sip:100@sip.example',
  transport: 'UDP',
  local: '192.0.2.9:40000',
  from: 'sip:vantage@192.0.2.9',
  branch: 'abc',
  tag: 'def',
  callId: 'ghi',
};

test('a request', () => {
  expect(optionsRequest(request).split('\r\n')).toEqual([
    'OPTIONS sip:100@sip.example SIP/2.0',
    'Via: SIP/2.0/UDP 192.0.2.9:40000;branch=z9hG4bKabc;rport',
    'Max-Forwards: 70',
    'From: <sip:vantage@192.0.2.9>;tag=def',
    'To: <sip:100@sip.example>',
    'Call-ID: ghi',
    'CSeq: 1 OPTIONS',
    'Contact: <sip:vantage@192.0.2.9:40000>',
    'Accept: application/sdp',
    'User-Agent: Vantage',
    'Content-Length: 0',
    '',
    '',
  ]);
});

test('a response with short names, folded lines, repeated headers and a body', () => {
  const text =
    'SIP/2.0 200 Everything is fine\r\nv: SIP/2.0/UDP a;branch=z9hG4bKabc\r\ni: ghi\r\nCSeq:\t1  OPTIONS\r\nAllow: INVITE,\r\n ACK\r\nallow: BYE\r\nl: 4\r\n\r\nbody';
  const response = readSipDatagram(Buffer.from(text));
  expect(response).toMatchObject({
    status: 200,
    reason: 'Everything is fine',
    headers: { 'call-id': 'ghi', allow: 'INVITE, ACK, BYE', 'content-length': '4' },
  });
  expect(isResponseTo(response, request)).toBe(true);
  expect(isResponseTo(response, { ...request, branch: 'abd' })).toBe(false);
  expect(isResponseTo(response, { ...request, callId: 'GHI' })).toBe(false);
});

test.each([
  [['HTTP/1.1 200 OK'], 'SIP/2.0'],
  [['SIP/2.0 20 OK'], 'status'],
  [['SIP/2.0 200 OK', 'no header'], 'no header'],
  [['SIP/2.0 200 OK', ...Array.from({ length: 201 }, () => 'A: b')], 'more than 200 headers'],
])('%j is no response', (lines, why) => {
  expect(() => readSipResponse(lines)).toThrow(why);
});

test('names of an object are headers like others', () => {
  const { headers } = readSipResponse(['SIP/2.0 200 OK', '__proto__: x', 'constructor: y']);
  expect(Object.entries(headers)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('hostile datagrams end in an Error or a response', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (rest) => {
      try {
        expect(readSipDatagram(Buffer.from(`SIP/2.0 200 OK\r\n${rest}`)).status).toBe(200);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
    { numRuns: propertyRuns(500) },
  );
});
