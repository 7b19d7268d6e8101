import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  connectPacket,
  publishPacket,
  readAck,
  readConnack,
  readPublish,
  readVariableInteger,
  subscribePacket,
  variableInteger,
} from './mqtt-packets.ts';

test.each([
  [0, '00'],
  [127, '7f'],
  [128, '8001'],
  [16_383, 'ff7f'],
  [2_097_152, '80808001'],
  [268_435_455, 'ffffff7f'],
])('the number %i is %s (MQTT 5 section 1.5.5)', (value, hex) => {
  expect(variableInteger(value).toString('hex')).toBe(hex);
  expect(readVariableInteger(Buffer.from(hex, 'hex'), 0)).toEqual({ value, end: hex.length / 2 });
});

test('a number that is cut off or longer is none', () => {
  expect(readVariableInteger(Buffer.from('80', 'hex'), 0)).toBeUndefined();
  expect(readVariableInteger(Buffer.from('8080808001', 'hex'), 0)).toBeUndefined();
});

test('a connect as the standard has it', () => {
  const login = { clientId: 'a', user: 'u', password: 'p', keepAliveSeconds: 10 };
  expect(connectPacket({ ...login, version: '3.1.1' }).toString('hex')).toBe(
    '101300044d51545404c2000a000161000175000170',
  );
  expect(connectPacket({ ...login, version: '5' }).toString('hex')).toBe(
    '101400044d51545405c2000a00000161000175000170',
  );
  const free = { ...login, user: undefined, password: undefined, version: '3.1.1' as const };
  expect(connectPacket(free).toString('hex')).toBe('100d00044d5154540402000a000161');
  expect(subscribePacket('3.1.1', 1, 'a/b').toString('hex')).toBe('820800010003612f6201');
});

test('a message is read as it was written', () => {
  const topic = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(
      fc.constantFrom('3.1.1' as const, '5' as const),
      topic,
      fc.string(),
      (version, name, message) => {
        const packet = publishPacket(version, 7, name, message);
        const start = readVariableInteger(packet, 1)?.end ?? 0;
        const read = readPublish(version, packet.readUInt8(0) & 15, packet.subarray(start));
        expect(read).toMatchObject({ topic: name, id: 7, isRetained: false });
        expect(read?.payload.toString()).toBe(message);
      },
    ),
    { numRuns: propertyRuns(200) },
  );
});

test('bytes are an answer or none, and nothing throws', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom('3.1.1' as const, '5' as const),
      (bytes, version) => {
        const body = Buffer.from(bytes);
        readConnack(version, body);
        for (const type of [4, 9]) readAck(version, type, body, 1);
        for (let flags = 0; flags < 16; flags += 1) readPublish(version, flags, body);
      },
    ),
    { numRuns: propertyRuns(500) },
  );
});
