import { type MeasuredValue, resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure } from '../../contract/failure.ts';
import {
  ipFamilyOption,
  slowMsOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { type Dialogue, openDialogue } from '../../dialogue/dialogue.ts';
import { loginImpossible, loginRefused } from '../../dialogue/line-protocol.ts';
import { commandWords } from './redis-command.ts';
import { type RedisInfo, readInfo } from './redis-info.ts';
import { commandBytes, type RespReply, readReply, replyText } from './resp.ts';

const line = (max: number) =>
  boundedText(max, 1).regex(withoutControls, 'must hold no control character').optional();

const maxDatabase = 65_535;

const options = z
  .strictObject({
    TLS: tlsOptionsWithoutStart,
    User: line(255).describe(
      'User name to log in with (Redis 6 and later); default: the one in the URL, else none.',
    ),
    Password: line(1000).describe('Password to log in with; default: the one in the URL, else no login.'),
    Database: z
      .int()
      .min(0)
      .max(maxDatabase)
      .optional()
      .describe('Number of the database; default: the one in the URL, else 0.'),
    Command: line(4096)
      .refine((text) => text === undefined || commandWords(text) !== undefined, 'must have closed quotes')
      .describe('Command to run after PING, such as LLEN jobs. A number in its reply is measured.'),
    ExpectValue: boundedText(4096)
      .optional()
      .describe('The reply to Command must be this (a list: tabs between its items; nothing: NULL).'),
    Info: z
      .boolean()
      .default(true)
      .describe('Ask for INFO: its role and figures (clients, memory, operations, replication) are kept.'),
    ExpectRole: z.enum(['master', 'replica']).optional().describe('Role that the server must have.'),
    MinReplicas: z.int().min(0).max(1000).optional().describe('Least replicas that are online, of a master.'),
    MaxReplicationLagSeconds: z
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .describe('Most seconds since master and replica (the slowest one) last heard of each other.'),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ Command, ExpectValue }) => ExpectValue === undefined || Command !== undefined, {
    path: ['ExpectValue'],
    message: 'must come with a Command',
  });

type RedisOptions = z.output<typeof options>;

/** Errors that refuse a login or lack one (Redis, `src/server.c` and `src/acl.c`). */
const refusedWords = ['NOAUTH', 'WRONGPASS', 'NOPERM', 'DENIED'];
/** Errors of the server's state, not of the request. */
const busyWords = ['LOADING', 'BUSY', 'MASTERDOWN', 'CLUSTERDOWN', 'TRYAGAIN', 'MISCONF', 'OOM'];

/** Redis and what speaks its protocol (Valkey, KeyDB): login, PING, INFO, and a command if there is one. */
export const redis: Probe<'Redis', typeof options> = {
  method: 'Redis',
  purpose:
    'Asks a Redis server for PONG, logs in where there is a password, reads its role and figures, and runs a command where there is one.',
  example: {
    URL: 'redis://cache.example.com',
    ShortName: 'cache-1',
    Options: { Password: 'a password', ExpectRole: 'master', MaxReplicationLagSeconds: 10 },
  },
  optionsCase: 'redis',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    redis: {
      description: 'Asks a Redis server for PONG, logs in and runs a command.',
      target: 'host and port',
      result: {
        reply: { type: 'string | null', description: 'The reply to the command.' },
        role: { type: 'string | null', description: 'master, replica or sentinel, by INFO.' },
      },
    },
  },
  parseTarget: (url) => {
    const accepts =
      'host, host:port, [v6]:port, redis://user:password@host:port/database or rediss://…, for example redis://cache.example.org';
    const found = parseTarget(url, {
      schemes: { redis: 6379, rediss: 6379 },
      scheme: 'redis',
      credentials: true,
      path: true,
      accepts,
    });
    if (!found.ok || databaseIn(found.target) !== 'unreadable') return found;
    return { ok: false, message: `the path is no number of a database; accepted is ${accepts}` };
  },

  async run(context, target, settings) {
    const mode = settings.TLS.Mode ?? (target.scheme === 'rediss' ? 'Implicit' : 'None');
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { speaksFirst: 'client' });
    const ask = (words: readonly string[], shown = words.join(' ')) => askServer(dialogue, words, shown);
    const isLoggedIn = await logIn(ask, target, settings);
    const pong = await ask(['PING']);
    if (!isLoggedIn && isAnswerEnough(pong, target, settings)) {
      return {
        code: resultCode.ok,
        text: 'Redis answers, and requires a login',
        dataSize: dialogue.received,
        extended: {},
        answer: () => ({ reply: null, role: null }),
      };
    }
    if (pong.kind === 'error') throw errorFailure(pong.text, resultCode.protocol, 'expected PONG, got');
    if (pong.kind !== 'text' || pong.text !== 'PONG')
      throw new Failure(resultCode.protocol, `expected PONG, got ${quoteShort(replyText(pong))}`);
    const database = databaseOf(target, settings);
    if (database !== undefined && database !== 0) {
      const selected = await ask(['SELECT', String(database)]);
      if (selected.kind === 'error')
        throw errorFailure(selected.text, resultCode.expectation, `database ${database} does not open:`);
    }
    const info = wantsInfo(settings) ? await askInfo(ask, settings) : undefined;
    if (info?.version !== undefined) context.addDetail('Version', info.version.slice(0, 100));
    if (info?.role !== undefined) context.addDetail('Role', info.role);
    const reply = settings.Command === undefined ? undefined : await runCommand(ask, settings.Command);
    const fault = (info && infoFault(info, settings)) ?? replyFault(reply, settings.ExpectValue);
    const values = [...(info?.values ?? []), ...replyValue(reply)];
    const done = ['PONG', info?.role, reply && 'command answered'];
    return {
      code: fault === undefined ? resultCode.ok : resultCode.expectation,
      text: fault ?? done.filter(Boolean).join(', '),
      dataSize: dialogue.received,
      extended: {},
      values,
      answer: () => ({
        reply: reply === undefined || reply.kind === 'null' ? null : replyText(reply),
        role: info?.role ?? null,
      }),
    };
  },
};

type Ask = (words: readonly string[], shown?: string) => Promise<RespReply>;

async function askServer(dialogue: Dialogue, words: readonly string[], shown: string): Promise<RespReply> {
  await dialogue.write(commandBytes(words), shown);
  return readReply(dialogue);
}

/** Returns whether there is a login. Throws Failure 8 if the server refuses it. */
async function logIn(ask: Ask, target: Target, settings: RedisOptions): Promise<boolean> {
  const user = settings.User ?? (target.user === '' ? undefined : target.user);
  const password = settings.Password ?? target.password?.reveal();
  if (user === undefined && (password === undefined || password === '')) return false;
  const login = user === undefined ? [password ?? ''] : [user, password ?? ''];
  const answer = await ask(['AUTH', ...login], user === undefined ? 'AUTH ***' : `AUTH ${user} ***`);
  if (answer.kind !== 'error') return true;
  if (busyWords.includes(wordOf(answer.text))) throw loginImpossible(answer.text);
  throw loginRefused(answer.text);
}

/** Without a login, the demand for one is an answer, unless the Options need more than that. */
function isAnswerEnough(pong: RespReply, target: Target, settings: RedisOptions): boolean {
  const isDemand = pong.kind === 'error' && wordOf(pong.text) === 'NOAUTH';
  const needsLogin = settings.Command !== undefined || databaseOf(target, settings) !== undefined;
  return isDemand && !needsLogin && !needsInfo(settings);
}

function wordOf(error: string): string {
  return /^[A-Z]+/.exec(error)?.[0] ?? '';
}

/** The failure of a request. An error that is neither the login's nor of the server's state has `code`. */
function errorFailure(error: string, code: 3 | 7, begin: string): Failure {
  const word = wordOf(error);
  if (word === 'NOAUTH') return loginRefused(error, 'set Password');
  if (refusedWords.includes(word)) return loginRefused(error);
  const busy = busyWords.includes(word) || error.startsWith('ERR max number of clients');
  return new Failure(busy ? resultCode.protocol : code, `${begin} ${quoteShort(error, 200)}`);
}

/** The database in a URL's path. */
function databaseIn({ path }: Target): number | 'none' | 'unreadable' {
  if (path === '' || path === '/') return 'none';
  const digits = /^\/(\d{1,5})$/.exec(path)?.[1];
  const database = digits === undefined ? undefined : Number(digits);
  return database === undefined || database > maxDatabase ? 'unreadable' : database;
}

function databaseOf(target: Target, settings: RedisOptions): number | undefined {
  const named = databaseIn(target);
  return settings.Database ?? (typeof named === 'number' ? named : undefined);
}

function needsInfo({ ExpectRole, MinReplicas, MaxReplicationLagSeconds }: RedisOptions): boolean {
  return ExpectRole !== undefined || MinReplicas !== undefined || MaxReplicationLagSeconds !== undefined;
}

function wantsInfo(settings: RedisOptions): boolean {
  return settings.Info || needsInfo(settings);
}

/** A server that refuses INFO to this user is no failure, unless an expectation needs it. */
async function askInfo(ask: Ask, settings: RedisOptions): Promise<RedisInfo | undefined> {
  const reply = await ask(['INFO']);
  if (reply.kind === 'text') return readInfo(reply.text);
  if (!needsInfo(settings)) return undefined;
  const text = replyText(reply);
  if (reply.kind === 'error') throw errorFailure(text, resultCode.expectation, 'INFO is refused:');
  throw new Failure(resultCode.protocol, `expected a text as answer to INFO, got ${quoteShort(text)}`);
}

async function runCommand(ask: Ask, command: string): Promise<RespReply> {
  const reply = await ask(commandWords(command) ?? [command], command);
  if (reply.kind === 'error')
    throw errorFailure(reply.text, resultCode.expectation, 'the command is refused:');
  return reply;
}

/** The first expectation of the role and the replication that is not met. */
function infoFault(info: RedisInfo, settings: RedisOptions): string | undefined {
  const { ExpectRole, MinReplicas, MaxReplicationLagSeconds: maxLag } = settings;
  const { role = 'unknown', replicas = 0, lagSeconds, isLinked } = info;
  if (ExpectRole !== undefined && role !== ExpectRole) return `expected the role ${ExpectRole}, got ${role}`;
  const judgesReplication = ExpectRole === 'replica' || maxLag !== undefined;
  if (judgesReplication && isLinked === false) return 'the replica is not connected to its master';
  if (MinReplicas !== undefined && replicas < MinReplicas)
    return `${replicas} of at least ${MinReplicas} replicas are online`;
  if (maxLag !== undefined && lagSeconds !== undefined && lagSeconds > maxLag)
    return `the replication lags by ${lagSeconds} s, at most ${maxLag} s`;
  return undefined;
}

function replyFault(reply: RespReply | undefined, expected: string | undefined): string | undefined {
  if (reply === undefined || expected === undefined) return undefined;
  const text = replyText(reply);
  return text === expected ? undefined : `expected ${quoteShort(expected)}, got ${quoteShort(text)}`;
}

/** A number as reply to the command, as a value of the check. */
function replyValue(reply: RespReply | undefined): readonly MeasuredValue[] {
  if (reply?.kind !== 'number' && reply?.kind !== 'text') return [];
  if (!/^[+-]?\d{1,18}(\.\d{1,18})?$/.test(reply.text)) return [];
  return [{ Label: 'Reply', Value: Number(reply.text), Unit: '' }];
}
