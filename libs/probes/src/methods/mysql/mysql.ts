import { resultCode } from '@vantage/domain';
import { boundedText, withoutControls } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
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
import type { MysqlLogin } from './mysql-login.ts';
import type { MysqlAnswer, ServerError, ServerGreeting } from './mysql-packets.ts';
import { createMysqlSession, type MysqlSession, type QueryResult } from './mysql-session.ts';

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

/** The login of a check without a user. Its refusal shows that the server answers. */
const unknownUser: MysqlLogin = { user: 'vantage', password: '' };
/** Errors of the server, not of the login: too many connections, shutdown, host blocked, limits of this user. */
const busyErrors = [1040, 1053, 1129, 1203, 1226, 4031];
const hostNotAllowed = 1130;
const unknownDatabase = 1049;

/**
 * MySQL and MariaDB: greeting (TTFB), then TLS, login and a query if they are set. Without a user name, the check logs
 * in as an unknown user: a server counts connections that end after its greeting, and blocks the host after some.
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
        rows: { type: 'number', description: 'The number of rows that the query returned.' },
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

  async run(context, target, settings) {
    const login = loginOf(target, settings);
    const mode = settings.TLS.Mode ?? 'None';
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false });
    const session = createMysqlSession(dialogue, databaseOf(target, settings));
    const greeted = await session.greeting();
    if (!greeted.ok) throw greetingFailure(greeted.error, connection.peer);
    const greeting = greeted.value;
    const version = greeting.version.replace(/^5\.5\.5-/, '');
    context.addDetail('Banner', version);
    if (mode === 'StartTLS') await session.startTls(greeting, settings.TLS);

    const answer = login ? await session.login(greeting, login) : await tryAsUnknownUser(session, greeting);
    if (!answer.ok && (login || busyErrors.includes(answer.error.code))) throw loginFailure(answer.error);
    if (login && answer.ok) context.addDetail('Auth', answer.value);
    const result = login && settings.Query !== undefined ? await ask(session, settings.Query) : undefined;
    if (result) {
      context.addDetail('Rows', result.count);
      if (settings.ExpectResult !== undefined) judgeResult(result, settings.ExpectResult);
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

/** The login, if there is one. Options take precedence over the URL. Throws Failure 8 for an incomplete login. */
function loginOf(target: Target, settings: MysqlOptions): MysqlLogin | undefined {
  const user = settings.User ?? target.user;
  const password = settings.Password ?? target.password?.reveal();
  if (user !== undefined && user !== '') return { user, password: password ?? '' };
  if (password !== undefined) throw new Failure(resultCode.login, 'a password is set but no user name');
  if (settings.Query !== undefined || databaseOf(target, settings) !== undefined) {
    throw new Failure(resultCode.login, 'a query or database needs a login: set User and Password');
  }
  return undefined;
}

function databaseOf(target: Target, settings: MysqlOptions): string | undefined {
  const named = databaseIn(target);
  return settings.Database ?? (named === 'none' || named === 'unreadable' ? undefined : named.name);
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
  // The login succeeded, but the database does not exist.
  if (error.code === unknownDatabase) return notMet(`the database does not open: ${shown(error)}`);
  return new Failure(resultCode.login, `login refused: ${shown(error)}`);
}

/** Logs in as an unknown user. A request for an unknown login method is an answer, like a refusal. */
async function tryAsUnknownUser(
  session: MysqlSession,
  greeting: ServerGreeting,
): Promise<MysqlAnswer<string>> {
  try {
    return await session.login(greeting, unknownUser);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== resultCode.login) throw error;
    return { ok: false, error: { code: 0, message: error.message } };
  }
}

/** Runs the query. Throws Failure 7 if the server refuses it. */
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
