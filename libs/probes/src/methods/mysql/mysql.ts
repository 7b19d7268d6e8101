import { resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { Failure, notMet, quoteShort } from '../../contract/failure.ts';
import {
  ipFamilyOption,
  slowMsOption,
  textOption,
  tlsOptions,
  tlsSecretOptions,
} from '../../contract/options.ts';
import type { Probe, Target } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { openDialogue } from '../../dialogue/dialogue.ts';
import type { MysqlLogin } from './login.ts';
import type { Answered, ServerError, ServerGreeting } from './packets.ts';
import { createMysqlSession, type MysqlSession, type QueryResult } from './session.ts';

const line = (max: number) =>
  boundedText(max, 1).regex(withoutControls, 'must hold no control character').optional();

const options = z.strictObject({
  TLS: tlsOptions,
  User: line(255).describe('User name to log in with; default: the one in the URL, else no login.'),
  Password: line(1000).describe('Password to log in with; default: the one in the URL.'),
  Database: line(64).describe('Database to use; default: the one in the URL, else none.'),
  Query: textOption(8192).describe('Query to run after the login.'),
  ExpectResult: boundedText(4096)
    .optional()
    .describe(
      "The first row's first value must be this, or the whole first row with tabs between its values (NULL is NULL).",
    ),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type MysqlOptions = z.output<typeof options>;

/** Whoever only wants to see that the server lives shows up under this name; a refusal is an answer too. */
const stranger: MysqlLogin = { user: 'vantage', password: '' };
/**
 * Errors that speak of the server's state and not of who logs in: too many connections, shutdown, host blocked, too
 * many of this user.
 */
const busyErrors = [1040, 1053, 1129, 1203, 1226, 4031];
const hostNotAllowed = 1130;
const unknownDatabase = 1049;

/**
 * MySQL and MariaDB: greeting (TTFB), then TLS, login and a query where asked for. Without a user name the dialogue
 * still goes on to the refusal of a login: a server counts connections that break off after its greeting and blocks the
 * host after some of them.
 */
export const mysql: Probe<'MySQL', typeof options> = {
  method: 'MySQL',
  purpose:
    'Greets a MySQL or MariaDB server, logs in where there is a user, and runs a query where there is one.',
  example: {
    URL: 'mysql://monitor@db.example.com/shop',
    ShortName: 'db-1',
    Options: { Query: 'select count(*) from orders', Password: 'a password' },
  },
  optionsCase: 'mysql',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    mysql: {
      description: 'Greets a MySQL or MariaDB server, logs in and asks a query.',
      target: 'host and port',
      result: {
        rows: { type: 'number', description: 'How many rows the query returned.' },
        row: { type: 'readonly (string | null)[] | null', description: 'The first row.' },
      },
    },
  },
  parseTarget: (url) => {
    const accepts =
      'host, host:port, [v6]:port or mysql://user:password@host:port/database, for example db.example.org:3306';
    const found = parseTarget(url, {
      schemes: { mysql: 3306 },
      scheme: 'mysql',
      credentials: true,
      path: true,
      accepts,
    });
    if (!found.ok || databaseIn(found.target) !== 'unreadable') return found;
    return { ok: false, message: `the path is no database name; accepted is ${accepts}` };
  },

  async run(context, target, wanted) {
    const login = loginOf(target, wanted);
    const mode = wanted.TLS.Mode ?? 'None';
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: wanted.IPFamily,
      tls: mode === 'Implicit' ? { settings: wanted.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false });
    const session = createMysqlSession(dialogue, databaseOf(target, wanted));
    const greeted = await session.greeting();
    if (!greeted.ok) throw greetingFailure(greeted.error, connection.peer);
    const greeting = greeted.value;
    const version = greeting.version.replace(/^5\.5\.5-/, '');
    context.addDetail('Banner', version);
    if (mode === 'StartTLS') await session.startTls(greeting, wanted.TLS);

    const answer = login ? await session.login(greeting, login) : await tryAsUnknownUser(session, greeting);
    if (!answer.ok && (login || busyErrors.includes(answer.error.code))) throw loginFailure(answer.error);
    if (login && answer.ok) context.addDetail('Auth', answer.value);
    const result = login && wanted.Query !== undefined ? await ask(session, wanted.Query) : undefined;
    if (result) {
      context.addDetail('Rows', result.count);
      if (wanted.ExpectResult !== undefined) judgeResult(result, wanted.ExpectResult);
    }
    context.stopwatch.pause();
    if (answer.ok) await session.quit();
    const done = login ? [version, 'login accepted', result && 'query answered'] : [`${version} answers`];
    return {
      code: resultCode.ok,
      text: done.filter(Boolean).join(', '),
      dataSize: dialogue.received,
      extended: {},
      answer: () => ({ rows: result?.count ?? 0, row: result?.rows[0] ?? null }),
    };
  },
};

/** Who logs in, or nobody; Options go before the URL. Throws Failure 8 for settings that cannot log in. */
function loginOf(target: Target, wanted: MysqlOptions): MysqlLogin | undefined {
  const user = wanted.User ?? target.user;
  const password = wanted.Password ?? target.password?.reveal();
  if (user !== undefined && user !== '') return { user, password: password ?? '' };
  if (password !== undefined) throw new Failure(resultCode.login, 'a password is set but no user name');
  if (wanted.Query !== undefined || databaseOf(target, wanted) !== undefined) {
    throw new Failure(resultCode.login, 'a query or database needs a login: set User and Password');
  }
  return undefined;
}

function databaseOf(target: Target, wanted: MysqlOptions): string | undefined {
  const named = databaseIn(target);
  return wanted.Database ?? (named === 'none' || named === 'unreadable' ? undefined : named.name);
}

/** The database in a URL's path. */
function databaseIn({ path }: Target): { readonly name: string } | 'none' | 'unreadable' {
  if (path === '' || path === '/') return 'none';
  const encoded = /^\/([^/?#]+)$/.exec(path)?.[1];
  if (encoded === undefined) return 'unreadable';
  try {
    const name = decodeURIComponent(encoded);
    return /\p{Cc}/u.test(name) ? 'unreadable' : { name };
  } catch {
    return 'unreadable';
  }
}

function shown({ code, message }: ServerError): string {
  return `error ${code}: ${quoteShort(message, 200)}`;
}

function greetingFailure(error: ServerError, peer: string): Failure {
  const code = error.code === hostNotAllowed ? resultCode.login : resultCode.protocol;
  return new Failure(code, `${peer} takes no connection from this agent: ${shown(error)}`);
}

function loginFailure(error: ServerError): Failure {
  if (busyErrors.includes(error.code)) {
    return new Failure(resultCode.protocol, `the server takes no logins now: ${shown(error)}`);
  }
  // The login was good, the database that the Options ask for is not there.
  if (error.code === unknownDatabase) return notMet(`the database does not open: ${shown(error)}`);
  return new Failure(resultCode.login, `login refused: ${shown(error)}`);
}

/**
 * Logs in as nobody in particular: a demand for a login method that is not known here is an answer like any refusal.
 */
async function tryAsUnknownUser(session: MysqlSession, greeting: ServerGreeting): Promise<Answered<string>> {
  try {
    return await session.login(greeting, stranger);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== resultCode.login) throw error;
    return { ok: false, error: { code: 0, message: error.message } };
  }
}

/** Runs the query; the server's refusal is Failure 7. */
async function ask(session: MysqlSession, sql: string): Promise<QueryResult> {
  const result = await session.query(sql);
  if (!result.ok) throw notMet(`query failed: ${shown(result.error)}`);
  return result.value;
}

function judgeResult({ rows: [first] }: QueryResult, expected: string): void {
  if (first === undefined) throw notMet(`expected ${quoteShort(expected)}, got no row`);
  const values = first.map((value) => value ?? 'NULL');
  const row = values.join('\t');
  if (values[0] !== expected && row !== expected) {
    throw notMet(`expected ${quoteShort(expected)}, got ${quoteShort(row)}`);
  }
}
