import { expect, it } from 'vitest';
import { readGreeting } from './ssh-greeting.ts';

it.each([
  { bytes: '', kind: 'more' },
  { bytes: 'SSH-2.0-Open', kind: 'more' },
  { bytes: 'Welcome\r\n', kind: 'more' },
  { bytes: 'SSH-2.0-OpenSSH_9.2\r\n', kind: 'greeting', version: 'SSH-2.0-OpenSSH_9.2', before: [] },
  { bytes: 'SSH-2.0-x\n', kind: 'greeting', version: 'SSH-2.0-x', before: [] },
  {
    bytes: 'Hello\tyou\r\ntwo\r\nSSH-1.99-x\r\n',
    kind: 'greeting',
    version: 'SSH-1.99-x',
    before: ['Hello\tyou', 'two'],
  },
  { bytes: 'SSH-2.0-x\r\n\0\0\x01\x02', kind: 'greeting', version: 'SSH-2.0-x', before: [] },
  { bytes: 'not SSH-2.0-x\r\n', kind: 'more' },
  { bytes: '\0', kind: 'garbage', what: 'a NUL byte' },
  { bytes: 'abc\x01', kind: 'garbage', what: 'a byte 0x01' },
  { bytes: 'SSH-2.0-\0x\r\n', kind: 'garbage', what: 'a NUL byte' },
  { bytes: 'x'.repeat(4097), kind: 'garbage', what: 'a line over 4 KiB' },
  { bytes: 'x\n'.repeat(101), kind: 'garbage', what: 'more than 100 lines' },
])('$kind: $bytes', ({ bytes, ...expected }) => {
  expect(readGreeting(Buffer.from(bytes, 'latin1'))).toEqual(expected);
});
