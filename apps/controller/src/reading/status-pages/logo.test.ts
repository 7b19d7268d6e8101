import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { logoOf, logoText, maxLogoBytes, maxLogoLength, readLogo } from './logo.ts';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A grey PNG image of this size; `more` bytes stand in a chunk that nobody reads. */
function png(width: number, height: number, more = 0): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const begin = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const image = deflateSync(Buffer.alloc((width + 1) * height, 0x80));
  const parts = [chunk('IHDR', head), chunk('IDAT', image), chunk('teSt', Buffer.alloc(more))];
  return Buffer.concat([begin, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** A JPEG image of 2 × 1 pixels: a comment of 300 bytes stands before its frame. */
const jpeg = Buffer.concat([
  Buffer.from('ffd8fffe012c', 'hex'),
  Buffer.alloc(298),
  Buffer.from('ffc0000b080001000201011100ffda', 'hex'),
]);

const sent = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`;

test('a PNG or JPEG image is read with its size, and shown as it was sent', () => {
  const image = png(200, 50);
  expect(readLogo(sent('png', image))).toMatchObject({
    type: 'image/png',
    width: 200,
    height: 50,
    bytes: image,
  });
  expect(readLogo(sent('jpeg', jpeg))).toMatchObject({ type: 'image/jpeg', width: 2, height: 1 });
  const logo = logoOf(image);
  expect(logo && logoText(logo)).toBe(sent('png', image));
});

test.each([
  ['an SVG image', `data:image/svg+xml;base64,${btoa('<svg onload="alert(1)"/>')}`, 'can hold scripts'],
  ['an address', 'https://example.org/logo.png', 'as a data URL'],
  [
    'a page that says it is an image',
    sent('png', Buffer.from('<script>alert(1)</script>'.repeat(9))),
    'is no PNG image',
  ],
  ['an image of another type than it says', sent('jpeg', png(1, 1)), 'is no JPEG image'],
  ['a PNG image that ends after its begin', sent('png', png(1, 1).subarray(0, 20)), 'is no PNG image'],
  ['a JPEG image without a frame', sent('jpeg', jpeg.subarray(0, 304)), 'is no JPEG image'],
  ['an image without pixels', sent('png', png(0, 5)), 'is no PNG image'],
  ['a small file of a great image', sent('png', png(30_000, 100)), '30000 × 100 pixels'],
  ['a great file', sent('png', png(1, 1, maxLogoBytes)), 'bytes; at most 16384'],
])('%s is refused with the reason', (_name, text, reason) => {
  expect(readLogo(text)).toContain(reason);
});

test('the greatest logo is not longer than its field', () => {
  const most = png(1, 1, maxLogoBytes - png(1, 1).length);
  expect(most.length).toBe(maxLogoBytes);
  expect(readLogo(sent('png', most))).toMatchObject({ width: 1 });
  expect(sent('png', most).length).toBeLessThanOrEqual(maxLogoLength);
});
