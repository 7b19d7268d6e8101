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
import { type Dialogue, openDialogue } from '../../dialogue/dialogue.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import { createPostgresChannel, type PostgresChannel } from './postgresql-channel.ts';
import { knock, logIn, type OpenSession, type PostgresLogin } from './postgresql-login.ts';
import { messageOf, type PostgresError, sslRequest } from './postgresql-messages.ts';
import { type QueryResult, runQuery, valuesOf } from './postgresql-query.ts';

const line = (max: number) =>
  boundedText(max, 1).regex(withoutControls, 'must hold no control character').optional();

const options = z.strictObject({
  TLS: tlsOptions,
  User: line(255).describe('User name to log in with; default: the one in the URL, else no login.'),
  Password: line(1000).describe('Password to log in with; default: the one in the URL.'),
  Database: line(63).describe(
    'Database to use; default: the one in the URL, else the one named like the user.',
  ),
  Query: textOption(8192)
    .refine((sql) => sql === undefined || !sql.includes('\0'), 'must hold no NUL')
    .describe('Query to run after the login. The numbers of its first row are measured by their column.'),
  ExpectResult: boundedText(4096)
    .optional()
    .describe(
      "The first row's first value must be this, or the whole first row with tabs between its values (NULL is NULL).",
    ),
  ExpectRole: z
    .enum(['primary', 'standby'])
    .optional()
    .describe('Role that the server must have: a standby is in recovery.'),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type PostgresqlOptions = z.output<typeof options>;

/** The login of a check without a user. Its refusal shows that the server answers. */
const unknownUser = 'vantage';
const unknownDatabase = '3D000';
/** Classes of errors of the server, not of the login: out of resources, shutting down or starting, system, internal. */
const isBusy = ({ code }: PostgresError) => /^(53|57|58|XX)/.test(code);
const isNotEncrypted = ({ message }: PostgresError) => /no (SSL )?encryption|SSL off/i.test(message);
const recoveryQuery = 'select pg_is_in_recovery()';

/** PostgreSQL and what speaks its protocol (PgBouncer, CockroachDB): TLS, login, and a query if there is one. */
export const postgresql: Probe<'PostgreSQL', typeof options> = {
  method: 'PostgreSQL',
  purpose: 'Greets a PostgreSQL server, logs in where there is a user, and runs a query where there is one.',
  example: {
    URL: 'postgresql://monitor@db.example.com/shop',
    ShortName: 'pg-1',
    Options: {
      Password: 'a password',
      TLS: { Mode: 'StartTLS' },
      Query: 'select count(*) as orders from orders',
    },
  },
  optionsCase: 'postgresql',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    postgresql: {
      description: 'Greets a PostgreSQL server, logs in and asks a query.',
      target: 'host and port',
      result: {
        rows: { type: 'number', description: 'The number of rows that the query returned.' },
        row: { type: 'readonly (string | null)[] | null', description: 'The first row.' },
      },
    },
  },
  parseTarget: (url) => {
    const accepts =
      'host, host:port, [v6]:port or postgresql://user:password@host:port/database, for example db.example.org:5432';
    const found = parseTarget(url, {
      schemes: { postgresql: 5432, postgres: 5432 },
      scheme: 'postgresql',
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
      tls: mode === 'Implicit' ? { settings: settings.TLS, alpn: ['postgresql'] } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false, speaksFirst: 'client' });
    if (mode === 'StartTLS') await startTls(dialogue, settings);
    const channel = createPostgresChannel(dialogue);
    if (!login) return await answering(channel, dialogue);

    const opened = await logIn(channel, login, dialogue.connection.secure);
    if (!opened.ok) throw loginFailure(opened.error);
    const version = versionOf(opened.value);
    context.addDetail('Auth', opened.value.auth);
    context.addDetail('Version', version);
    if (settings.ExpectRole !== undefined) await judgeRole(channel, settings.ExpectRole);
    const result = settings.Query === undefined ? undefined : await ask(channel, settings.Query);
    if (result) context.addDetail('Rows', result.count);
    const fault =
      result && settings.ExpectResult !== undefined ? resultFault(result, settings.ExpectResult) : undefined;
    context.stopwatch.pause();
    await channel.write(messageOf('X', Buffer.alloc(0)), '(end)');
    const done = [`PostgreSQL ${version}`, 'login accepted', result && 'query answered'];
    return {
      code: fault === undefined ? resultCode.ok : resultCode.expectation,
      text: fault ?? done.filter(Boolean).join(', '),
      dataSize: dialogue.received,
      extended: {},
      values: result ? valuesOf(result) : [],
      answer: () => ({ rows: result?.count ?? 0, row: result?.rows[0] ?? null }),
    };
  },
};

/** The login, if there is one. Options take precedence over the URL. Throws Failure 8 for an incomplete login. */
function loginOf(target: Target, settings: PostgresqlOptions): PostgresLogin | undefined {
  const user = settings.User ?? target.user;
  const password = settings.Password ?? target.password?.reveal();
  const named = databaseIn(target);
  const database = settings.Database ?? (named === 'none' || named === 'unreadable' ? undefined : named.name);
  if (user !== undefined && user !== '') return { user, password, database };
  if (password !== undefined) throw new Failure(resultCode.login, 'a password is set but no user name');
  const { Query, ExpectRole } = settings;
  if (Query === undefined && ExpectRole === undefined && database === undefined) return undefined;
  throw new Failure(resultCode.login, 'a query, role or database needs a login: set User and Password');
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

/** Asks for TLS, which the server accepts or refuses with one letter. */
async function startTls(dialogue: Dialogue, settings: PostgresqlOptions): Promise<void> {
  await dialogue.write(sslRequest(), '(request for TLS)');
  const answer = (await dialogue.readExactly(1)).toString('latin1');
  const { peer } = dialogue.connection;
  if (answer === 'N') throw new Failure(resultCode.tls, `${peer} does not offer TLS`);
  if (answer !== 'S') throw wrongProtocol(peer, 'no answer to the request for TLS');
  await dialogue.startTls({ settings: settings.TLS });
}

/** A check without a login: a server that asks for one, or refuses the unknown user, answers. */
async function answering(channel: PostgresChannel, dialogue: Dialogue) {
  const error = await knock(channel, unknownUser);
  if (error && isBusy(error)) throw loginFailure(error);
  return {
    code: resultCode.ok,
    text: 'PostgreSQL answers',
    dataSize: dialogue.received,
    extended: {},
    answer: () => ({ rows: 0, row: null }),
  };
}

function shown({ code, message }: PostgresError): string {
  return `error ${code}: ${quoteShort(message, 200)}`;
}

function loginFailure(error: PostgresError): Failure {
  if (isBusy(error))
    return new Failure(resultCode.protocol, `the server takes no logins now: ${shown(error)}`);
  // The login succeeded, but the database does not exist.
  if (error.code === unknownDatabase) return notMet(`the database does not open: ${shown(error)}`);
  const advice = isNotEncrypted(error) ? '; set TLS Mode to StartTLS' : '';
  return new Failure(resultCode.login, `login refused: ${shown(error)}${advice}`);
}

function versionOf({ parameters }: OpenSession): string {
  return (parameters.get('server_version') ?? '').split(' ')[0]?.slice(0, 50) ?? '';
}

/** Runs a query. Throws Failure 7 if the server refuses it. */
async function ask(channel: PostgresChannel, sql: string): Promise<QueryResult> {
  const result = await runQuery(channel, sql);
  if (!result.ok) throw notMet(`query failed: ${shown(result.error)}`);
  return result.value;
}

async function judgeRole(channel: PostgresChannel, expected: 'primary' | 'standby'): Promise<void> {
  const { rows } = await ask(channel, recoveryQuery);
  const role = rows[0]?.[0] === 't' ? 'standby' : 'primary';
  if (role !== expected) throw notMet(`expected the role ${expected}, got ${role}`);
}

function resultFault({ rows: [first] }: QueryResult, expected: string): string | undefined {
  if (first === undefined) return `expected ${quoteShort(expected)}, got no row`;
  const values = first.map((value) => value ?? 'NULL');
  const row = values.join('\t');
  if (values[0] === expected || row === expected) return undefined;
  return `expected ${quoteShort(expected)}, got ${quoteShort(row)}`;
}
