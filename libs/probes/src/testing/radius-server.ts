import { createHash, createHmac } from 'node:crypto';

// A RADIUS server by hand, which must not share a fault of the probe's packets.

export interface TestRadiusServer {
  readonly secret: string;
  /** The code of the answer by the password; absent for Status-Server. */
  readonly codeFor?: (password: string | undefined, user: string) => number;
  /** An answer without a Message-Authenticator. */
  readonly isUnprotected?: boolean;
  readonly replyMessage?: string;
  /** The answer is signed with another secret. */
  readonly signsWith?: string;
  /** The Message-Authenticator of the answer is wrong, its Response Authenticator is right. */
  readonly isForged?: boolean;
}

/** The answer to a request; undefined for one that the server must not trust. */
export function radiusAnswer(request: Buffer, server: TestRadiusServer): Buffer | undefined {
  if (request.length < 38 || request.readUInt16BE(2) !== request.length) return undefined;
  const code = request.readUInt8(0);
  const authenticator = request.subarray(4, 20);
  const attributes = new Map<number, Buffer>();
  const places = new Map<number, number>();
  for (let at = 20; at < request.length; at += request.readUInt8(at + 1)) {
    attributes.set(request.readUInt8(at), request.subarray(at + 2, at + request.readUInt8(at + 1)));
    places.set(request.readUInt8(at), at + 2);
  }
  const zeroed = Buffer.from(request);
  const place = places.get(80);
  if (place === undefined || (code !== 1 && code !== 12)) return undefined;
  zeroed.fill(0, place, place + 16);
  const right = createHmac('md5', server.secret).update(zeroed).digest();
  if (!right.equals(request.subarray(place, place + 16))) return undefined;
  const hidden = attributes.get(2);
  const password = hidden && clearPassword(hidden, server.secret, authenticator);
  const user = attributes.get(1)?.toString('utf8') ?? '';
  const answerCode = server.codeFor?.(password, user) ?? 2;
  const { replyMessage } = server;
  const said = replyMessage === undefined ? Buffer.alloc(0) : attributeOf(18, Buffer.from(replyMessage));
  const mark = server.isUnprotected ? Buffer.alloc(0) : attributeOf(80, Buffer.alloc(16));
  const length = 20 + mark.length + said.length;
  const head = Buffer.of(answerCode, request.readUInt8(1), length >> 8, length & 255);
  const answer = Buffer.concat([head, authenticator, mark, said]);
  const secret = server.signsWith ?? server.secret;
  if (!server.isUnprotected) createHmac('md5', secret).update(answer).digest().copy(answer, 22);
  if (server.isForged) answer.writeUInt8(answer.readUInt8(22) ^ 1, 22);
  createHash('md5').update(answer).update(secret).digest().copy(answer, 4);
  return answer;
}

function attributeOf(type: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.of(type, value.length + 2), value]);
}

function clearPassword(hidden: Buffer, secret: string, authenticator: Buffer): string {
  const clear = Buffer.alloc(hidden.length);
  for (let at = 0; at < hidden.length; at += 16) {
    const before = at === 0 ? authenticator : hidden.subarray(at - 16, at);
    const pad = createHash('md5').update(secret).update(before).digest();
    for (let index = 0; index < 16; index += 1)
      clear.writeUInt8(hidden.readUInt8(at + index) ^ pad.readUInt8(index), at + index);
  }
  return clear.toString('utf8').replace(/\0+$/, '');
}
