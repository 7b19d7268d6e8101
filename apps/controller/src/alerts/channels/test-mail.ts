import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import { abortable } from '@vantage/kernel';
import { z } from 'zod';
import { plain } from './fact-text.ts';
import { faultText } from './fault-text.ts';

/** The steps of sending a mail, in their order. */
const steps = ['Name', 'Connect', 'TLS', 'Login', 'Accepted'] as const;

/** A step of a test mail. */
export interface MailStep {
  readonly step: (typeof steps)[number];
  readonly state: 'Passed' | 'Failed' | 'Skipped' | 'NotReached';
  /** For people, without secrets. */
  readonly text: string;
  /** undefined: it did not run. */
  readonly ms: number | null;
}

const stepMs = 10_000;
const subject = 'Test e-mail of Vantage';
const body = 'This is a test e-mail. Your Vantage can send e-mails with these settings.';

/** Sends a test mail, step by step; the steps after a failed one are not reached. */
export async function testMail(
  { smtpUrl, mailFrom, to }: { readonly smtpUrl: string; readonly mailFrom: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly MailStep[]> {
  const done: MailStep[] = [];
  const [{ parseConnectionUrl }, { default: SMTPConnection }, { default: MailComposer }] = await Promise.all([
    import('nodemailer/lib/shared'),
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/mail-composer'),
  ]);
  const options = parseConnectionUrl(smtpUrl);
  const host = options.host ?? 'localhost';
  const port = Number(options.port ?? (options.secure === true ? 465 : 587));
  const auth = options.auth;
  const words = wordsOf([auth?.user, auth?.pass]);
  const run = async (step: MailStep['step'], work: () => Promise<Pick<MailStep, 'state' | 'text'>>) => {
    const began = performance.now();
    const result = await abortable(work(), AbortSignal.any([signal, AbortSignal.timeout(stepMs)])).catch(
      (error: unknown) => ({ state: 'Failed' as const, text: failureText(error, host, words) }),
    );
    signal.throwIfAborted();
    const ms = result.state === 'Skipped' ? null : performance.now() - began;
    done.push({ step, ...result, ms });
    return result.state !== 'Failed';
  };
  let address = host;
  let socket: Socket | undefined;
  let connection: InstanceType<typeof SMTPConnection> | undefined;
  try {
    const isNamed = await run('Name', async () => {
      const found = await lookup(host);
      ({ address } = found);
      return address === host
        ? { state: 'Skipped', text: `${host} is an address` }
        : { state: 'Passed', text: `${host} is ${address}` };
    });
    if (!isNamed) return withRest(done);
    const isConnected = await run('Connect', async () => {
      socket = await connected(address, port);
      return { state: 'Passed', text: `connected to port ${port}` };
    });
    if (!isConnected || socket === undefined) return withRest(done);
    connection = new SMTPConnection({
      ...options,
      host,
      port,
      connection: socket,
      greetingTimeout: stepMs,
      socketTimeout: stepMs,
      tls: { ...options.tls, ...(address === host ? {} : { servername: host }) },
    });
    const smtp = connection;
    let isAboutTls = false;
    // Errors of a step reject it; a later one has no reader.
    smtp.on('error', () => {});
    const isGreeted = await run('TLS', async () => {
      await calling<void>((end) => {
        smtp.once('error', end);
        smtp.connect((error) => end(error ?? null));
      }).catch((error: unknown) => {
        isAboutTls = isTlsFault(error, options.secure === true);
        throw error;
      });
      if (!smtp.secure) return { state: 'Skipped', text: 'the connection is not encrypted' };
      const how = options.secure === true ? 'TLS' : 'STARTTLS';
      const isChecked = options.tls?.rejectUnauthorized !== false;
      return {
        state: 'Passed',
        text: `${how}, ${isChecked ? 'certificate good' : 'certificate not verified'}`,
      };
    });
    if (!isGreeted) return withRest(isAboutTls ? done : asConnectFault(done));
    const isLoggedIn = await run('Login', async () => {
      if (auth === undefined) return { state: 'Skipped', text: 'no user is set' };
      await calling<void>((end) => smtp.login(auth, (error) => end(error ?? null)));
      return { state: 'Passed', text: 'login accepted' };
    });
    if (!isLoggedIn) return withRest(done);
    await run('Accepted', async () => {
      const mail = new MailComposer({ from: mailFrom, to, subject, text: body }).compile();
      const envelope = mail.getEnvelope();
      const raw = await mail.build();
      const answer = await calling<{ response?: string }>((end) =>
        smtp.send(envelope, raw, (error, info) => end(error ?? null, info)),
      );
      return {
        state: 'Passed',
        text: `accepted for ${to}: ${withoutWords(answer?.response ?? '250', words)}`,
      };
    });
    return withRest(done);
  } finally {
    connection?.close();
    socket?.destroy();
  }
}

/** All steps, with those that an earlier failure left out. */
function withRest(done: readonly MailStep[]): readonly MailStep[] {
  return steps.map(
    (step) => done.find((each) => each.step === step) ?? { step, state: 'NotReached', text: '', ms: null },
  );
}

const tlsError = z.object({ code: z.string(), command: z.string().optional() });

/** Whether the encryption failed, not the greeting before it. */
function isTlsFault(error: unknown, isTlsFirst: boolean): boolean {
  const { code = '', command } = tlsError.safeParse(error).data ?? {};
  return isTlsFirst || code === 'ETLS' || command === 'STARTTLS';
}

/** A server that connects, but does not greet, is no mail server: its fault is the connection's. */
function asConnectFault(done: readonly MailStep[]): readonly MailStep[] {
  const failed = done.at(-1);
  return failed === undefined
    ? done
    : [...done.filter(({ step }) => step === 'Name'), { ...failed, step: 'Connect' }];
}

function connected(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: stepMs });
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.once('error', reject);
    socket.once('timeout', () => {
      socket.destroy();
      reject(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    });
  });
}

/** Waits for a callback. */
function calling<T>(begin: (end: (error: Error | null, value?: T) => void) => void): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    begin((error, value) => (error === null ? resolve(value) : reject(error)));
  });
}

const smtpReply = z.object({ response: z.string() });

function failureText(error: unknown, host: string, words: readonly string[]): string {
  if (error instanceof DOMException) return `${host} did not answer within ${stepMs / 1000} s`;
  const reply = smtpReply.safeParse(error).data?.response;
  return reply === undefined ? faultText(error, host) : `${host} answered ${withoutWords(reply, words)}`;
}

/** The texts that no answer may repeat: a login and its encoded forms. */
function wordsOf(secrets: readonly (string | undefined)[]): readonly string[] {
  const [user = '', password = ''] = secrets;
  const forms = [password, Buffer.from(password).toString('base64'), encoded(`\0${user}\0${password}`)];
  return password === '' ? [] : forms;
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The first line of a server's answer, or only its code if it repeats a secret. */
function withoutWords(reply: string, words: readonly string[]): string {
  const line = plain(reply.split('\n')[0] ?? '').slice(0, 200);
  return words.some((word) => reply.includes(word)) ? line.slice(0, 3) : line;
}
