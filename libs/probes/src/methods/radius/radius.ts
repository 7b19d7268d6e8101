import { resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption } from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { type Login, loginOf } from '../../dialogue/line-protocol.ts';
import type { Datagrams } from '../../net/datagrams.ts';
import { firstAnswering, noAnswer } from '../../net/first-answering.ts';
import {
  type RadiusAnswer,
  type RadiusRequest,
  radiusAttribute,
  radiusCode,
  radiusCodeName,
  radiusRequest,
  readRadiusAnswer,
} from './radius-packets.ts';

/** The length of an attribute's value is at most 253 bytes. */
const fitsAttribute = (text: string) => Buffer.byteLength(text) <= 253;
const attributeText = boundedText(253, 1)
  .regex(withoutControls, 'must be one line without control characters')
  .refine(fitsAttribute, 'must have at most 253 bytes');

const options = z.strictObject({
  Secret: boundedText(255, 1)
    .optional()
    .describe('The secret that the server shares with this agent. Every check needs it.'),
  User: attributeText
    .optional()
    .describe('User name of an Access-Request; default: the one in the URL, else a Status-Server is sent.'),
  Password: boundedText(128, 1)
    .refine((text) => Buffer.byteLength(text) <= 128, 'must have at most 128 bytes')
    .optional()
    .describe('Password of the user (PAP); default: the one in the URL.'),
  ExpectCode: z
    .enum(['Access-Accept', 'Access-Reject', 'Access-Challenge'])
    .default('Access-Accept')
    .describe('Answer to an Access-Request that is good. A Status-Server has one good answer.'),
  NASIdentifier: attributeText.default('vantage').describe('Name by which the agent names itself.'),
  CalledStationId: attributeText.optional().describe('Called-Station-Id of an Access-Request.'),
  CallingStationId: attributeText.optional().describe('Calling-Station-Id of an Access-Request.'),
  RequireMessageAuthenticator: z
    .boolean()
    .default(true)
    .describe(
      'An answer without a Message-Authenticator fails the check, because it can be forged (Blast-RADIUS, CVE-2024-3596). One that is there is always verified.',
    ),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type RadiusOptions = z.output<typeof options>;

/** RADIUS (RFC 2865): Status-Server (RFC 5997), or an Access-Request with a password (PAP). */
export const radius: Probe<'RADIUS', typeof options> = {
  method: 'RADIUS',
  purpose:
    'Asks a RADIUS server whether it works (Status-Server), or to log a user in where `User` is set. The check is good when the server answers as `Options` expect and its answer is signed with the `Secret`.',
  example: {
    URL: 'radius://192.0.2.18',
    ShortName: 'radius-1',
    Options: { Secret: 'a shared secret', User: 'monitor', Password: 'a password' },
  },
  optionsCase: 'radius',
  tracePackets: 'udp',
  options,
  secretOptions: ['Secret', 'Password'],
  scriptFunctions: {
    radius: {
      description: 'Asks a RADIUS server.',
      target: 'host and port',
      result: { code: { type: 'string', description: '`Access-Accept`, `Access-Reject` and others.' } },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { radius: 1812 },
      scheme: 'radius',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port or radius://user:password@host:port, for example radius.example.org',
    }),

  async run(context, target, settings) {
    const { Secret } = settings;
    if (Secret === undefined) throw new Failure(resultCode.login, 'no Secret is set');
    const login = loginOf(target, settings);
    const { host, port } = target;
    const family = settings.IPFamily;
    return firstAnswering(context, { host, port, family }, (datagrams, limitMs) =>
      exchange(context, datagrams, { ...settings, Secret }, login, limitMs),
    );
  },
};

type ReadyOptions = RadiusOptions & { readonly Secret: string };

async function exchange(
  context: ProbeContext,
  datagrams: Datagrams,
  settings: ReadyOptions,
  login: Login | undefined,
  limitMs: number,
): Promise<ProbeOutcome> {
  const { Secret } = settings;
  const request = requestOf(settings, login);
  // Servers drop what they cannot trust, and so does a client (RFC 2865 section 3).
  context.diagnostics(
    'Note',
    'A server does not answer a client that it does not know, or whose Secret is another one.',
  );
  let unsigned = 0;
  const read = (bytes: Buffer) => {
    const reading = readRadiusAnswer(bytes, request, Secret);
    if (reading.kind === 'unsigned') unsigned += 1;
    return reading.kind === 'answer' ? reading.answer : undefined;
  };
  const silence = (error: unknown) => (unsigned > 0 && isTimeout(error) ? wrongSecret(datagrams) : error);
  const answer = await datagrams
    .ask(request.bytes, read, limitMs)
    .catch((error: unknown) => Promise.reject(silence(error)));
  if (answer === undefined) throw silence(noAnswer(datagrams));
  noteAnswer(context, answer);
  const failure = judge(answer, settings, login);
  return {
    code: failure?.code ?? resultCode.ok,
    text: failure?.message ?? answerText(answer, login),
    dataSize: datagrams.received,
    extended: {},
    answer: () => ({ code: radiusCodeName(answer.code) }),
  };
}

function requestOf(settings: ReadyOptions, login: Login | undefined): RadiusRequest {
  const { Secret, NASIdentifier, CalledStationId, CallingStationId } = settings;
  const nas = [radiusAttribute.nasIdentifier, NASIdentifier] as const;
  if (login === undefined) return radiusRequest(radiusCode.statusServer, Secret, [nas]);
  const texts = [
    [radiusAttribute.userName, login.user],
    nas,
    [radiusAttribute.calledStationId, CalledStationId],
    [radiusAttribute.callingStationId, CallingStationId],
  ] as const;
  const present = texts.flatMap(([type, text]) => (text === undefined ? [] : [[type, text] as const]));
  return radiusRequest(radiusCode.accessRequest, Secret, present, login.password);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Failure && error.code === resultCode.timeout;
}

function wrongSecret({ peer }: Datagrams): Failure {
  return new Failure(
    resultCode.login,
    `${peer} answers, but not with this Secret: its signature does not fit`,
  );
}

function replyOf({ attributes }: RadiusAnswer): string {
  return attributes
    .filter(({ type }) => type === radiusAttribute.replyMessage)
    .map(({ value }) => value.toString('utf8'))
    .join(' ');
}

function noteAnswer(context: ProbeContext, answer: RadiusAnswer): void {
  const reply = replyOf(answer);
  context.addDetail('RADIUS', {
    Code: radiusCodeName(answer.code),
    MessageAuthenticator: answer.isProtected,
    ...(reply === '' ? {} : { ReplyMessage: reply.slice(0, 1000) }),
  });
}

function answerText(answer: RadiusAnswer, login: Login | undefined): string {
  const reply = replyOf(answer);
  const said = reply === '' ? '' : `: ${quoteShort(reply)}`;
  const subject = login === undefined ? 'the status' : `user ${quoteShort(login.user)}`;
  return `${radiusCodeName(answer.code)} for ${subject}${said}`;
}

function judge(
  answer: RadiusAnswer,
  { ExpectCode, RequireMessageAuthenticator }: RadiusOptions,
  login: Login | undefined,
): Failure | undefined {
  const text = answerText(answer, login);
  const code = radiusCodeName(answer.code);
  if (login === undefined) {
    const isGood = answer.code === radiusCode.accessAccept || answer.code === radiusCode.accountingResponse;
    if (!isGood) return new Failure(resultCode.protocol, text);
  } else if (code !== ExpectCode) {
    if (answer.code === radiusCode.accessReject)
      return new Failure(resultCode.login, `login refused: ${text}`);
    return notMet(`expected ${ExpectCode}, got ${text}`);
  }
  if (answer.isProtected || !RequireMessageAuthenticator) return undefined;
  return notMet(
    `${code} has no Message-Authenticator, so anybody on the way can forge it (CVE-2024-3596): upgrade the server, or set RequireMessageAuthenticator to false`,
  );
}
