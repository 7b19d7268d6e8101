/** An image that browsers show. */
export interface Logo {
  readonly type: 'image/png' | 'image/jpeg';
  /** The end of its address. */
  readonly extension: 'png' | 'jpg';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly bytes: Buffer;
}

/** The maximum size of a logo. Pixels are limited too, because a small file can decode to gigabytes. */
export const maxLogoBytes = 16_384;
const most = { width: 1_200, height: 400 } as const;
/** The longest data URL of a logo. */
export const maxLogoLength = 'data:image/jpeg;base64,'.length + Math.ceil(maxLogoBytes / 3) * 4;

/** The logo of a data URL (RFC 2397), or what is wrong with it, to follow the name of its field. Pure. */
export function readLogo(text: string): Logo | string {
  if (/^data:image\/svg/i.test(text))
    return 'is an SVG image, which can hold scripts; send it as PNG or JPEG';
  const [, type, encoded] = /^data:(image\/(?:png|jpeg));base64,([\w+/]+={0,2})$/.exec(text) ?? [];
  if (type === undefined || encoded === undefined)
    return 'must be a PNG or JPEG image as a data URL: data:image/png;base64,…';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > maxLogoBytes)
    return `has ${bytes.length} bytes; at most ${maxLogoBytes} are accepted, so send a smaller image`;
  const logo = logoOf(bytes);
  if (logo?.type !== type) return `is no ${type === 'image/png' ? 'PNG' : 'JPEG'} image`;
  if (logo.width > most.width || logo.height > most.height)
    return `has ${logo.width} × ${logo.height} pixels; at most ${most.width} × ${most.height} are accepted`;
  return logo;
}

/** The image of these bytes; undefined: it is neither PNG nor JPEG, or has no size. Pure. */
export function logoOf(bytes: Buffer): Logo | undefined {
  const png = pngSize(bytes);
  if (png !== undefined) return { type: 'image/png', extension: 'png', ...png, bytes };
  const jpeg = jpegSize(bytes);
  return jpeg && { type: 'image/jpeg', extension: 'jpg', ...jpeg, bytes };
}

/** A logo as a data URL. */
export function logoText({ type, bytes }: Logo): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const pngBegin = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Portable Network Graphics (Third Edition), sections 5.2 and 11.2.1: the first chunk is IHDR. */
function pngSize(bytes: Buffer): Size | undefined {
  if (
    bytes.length < 33 ||
    !bytes.subarray(0, 8).equals(pngBegin) ||
    bytes.toString('latin1', 12, 16) !== 'IHDR'
  )
    return undefined;
  return positive({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) });
}

/** ITU-T T.81, annex B: segments follow the start of the image; that of the frame (SOF) has the size. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xff_d8) return undefined;
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const segment = bytes.readUInt16BE(at);
    if (segment >> 8 !== 0xff) return undefined;
    const isFrame =
      segment >= 0xff_c0 && segment <= 0xff_cf && ![0xff_c4, 0xff_c8, 0xff_cc].includes(segment);
    if (isFrame) return positive({ width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) });
  }
  return undefined;
}

function positive(size: Size): Size | undefined {
  return size.width > 0 && size.height > 0 ? size : undefined;
}
