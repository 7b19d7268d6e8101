import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort } from '../../contract/display.ts';
import { Failure, notMet } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption, tlsOptions, tlsSecretOptions } from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { type Dialogue, openDialogue } from '../../dialogue/dialogue.ts';
import { type Login, loginOf, loginRefused, noStartTls, tlsModeOf } from '../../dialogue/line-protocol.ts';
import { wrongProtocol } from '../../dialogue/receive-buffer.ts';
import { readFilter } from './ldap-filter.ts';
import {
  bindRequest,
  type LdapEntry,
  type LdapResult,
  ldapCode,
  readMessage,
  searchRequest,
  startTlsRequest,
  unbindRequest,
} from './ldap-messages.ts';

/** The minimum of entries that a search requests, so that it can count a few more than are expected. */
const sizeLimit = 100;
const maxReceived = 4 * 1024 * 1024;
/** Messages of a search that are no entries: references to other servers. */
const maxOthers = 1000;

const filterText = boundedText(4096, 1).superRefine((text, fault) => {
  const reading = readFilter(text);
  if (!reading.ok)
    fault.addIssue({
      code: 'custom',
      message: `must be a filter such as (&(objectClass=person)(uid=a*)): ${reading.message}`,
    });
});

const options = z
  .strictObject({
    TLS: tlsOptions,
    User: boundedText(1000, 1)
      .optional()
      .describe("Name to bind as, such as cn=monitor,dc=example,dc=org; default: the URL's, else anonymous."),
    Password: boundedText(1024, 1).optional().describe("Password to bind with; default: the URL's."),
    Base: boundedText(1000)
      .optional()
      .describe(
        'Entry at which a search starts, such as dc=example,dc=org. Without Base there is no search.',
      ),
    Filter: filterText.default('(objectClass=*)').describe('Filter of the search (RFC 4515).'),
    Scope: z
      .enum(['Base', 'One', 'Sub'])
      .default('Sub')
      .describe('Entries to search: the base alone, one level below it, or the base and all below it.'),
    ExpectEntries: z
      .int()
      .min(0)
      .max(1000)
      .default(1)
      .describe('The search must find at least this many entries.'),
    ExpectAttribute: boundedText(1000, 1)
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9.;-]*(=.+)?$/s,
        'must be an attribute such as mail, or with a value such as mail=me@example.org',
      )
      .optional()
      .describe(
        'An entry must have this attribute, or NAME=VALUE: it must have this value in any letter case.',
      ),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ Base, ExpectAttribute }) => Base !== undefined || ExpectAttribute === undefined, {
    path: ['Base'],
    message: 'must be set where ExpectAttribute is',
  });

type LdapOptions = z.output<typeof options>;

/** LDAP (RFC 4511): binds anonymously or with a password, and searches. TLS from the start or by StartTLS. */
export const ldap: Probe<'LDAP', typeof options> = {
  method: 'LDAP',
  purpose:
    'Binds to a directory server, anonymously or with `User` and `Password`, and searches where `Base` is set. The check is good when the server accepts the bind and the search finds what `Options` expect.',
  example: {
    URL: 'ldaps://ldap.example.com',
    ShortName: 'ldap-1',
    Options: { Base: 'dc=example,dc=com', Filter: '(uid=monitor)', Scope: 'Sub' },
  },
  optionsCase: 'ldap',
  tracePackets: 'tcp',
  options,
  secretOptions: ['Password', ...tlsSecretOptions],
  scriptFunctions: {
    ldap: {
      description: 'Binds to a directory server and searches.',
      target: 'host and port',
      result: {
        entries: {
          type: 'readonly string[]',
          description: 'The distinguished names of the entries that the search found.',
        },
      },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { ldap: 389, ldaps: 636 },
      scheme: 'ldap',
      credentials: true,
      accepts:
        'host, host:port, [v6]:port, ldap://user:password@host:port or ldaps://…, for example ldap.example.org',
    }),

  async run(context, target, settings) {
    const login = loginOf(target, settings);
    // A server takes a name without a password as an anonymous bind, and accepts it (RFC 4513 section 5.1.2).
    if (login !== undefined && login.password === '')
      throw new Failure(resultCode.login, 'a user name is set but no password');
    const mode = tlsModeOf(settings.TLS.Mode, target, { scheme: 'ldaps', port: 636 });
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      tls: mode === 'Implicit' ? { settings: settings.TLS } : undefined,
    });
    using dialogue = openDialogue(context, connection, { text: false, speaksFirst: 'client' });
    const session = new LdapSession(dialogue);
    if (mode === 'StartTLS') {
      const answer = await session.ask(startTlsRequest, 'StartTLS', 'extended');
      if (answer.code !== ldapCode.success) throw noStartTls(connection.peer, answer.text);
      await dialogue.startTls({ settings: settings.TLS });
    }
    await bind(session, login);
    const found = settings.Base === undefined ? undefined : await search(context, session, settings);
    await session.unbind();
    const failure = found && judge(found, settings);
    const who = login === undefined ? 'anonymous bind accepted' : `bound as ${quoteShort(login.user, 200)}`;
    return {
      code: failure?.code ?? resultCode.ok,
      text: failure?.message ?? (found === undefined ? who : `${who}, ${entriesText(found)} found`),
      dataSize: dialogue.received,
      extended: {},
      ...(found?.isComplete && { values: [{ Label: 'entries', Value: found.entries.length, Unit: '' }] }),
      answer: () => ({ entries: found?.entries.map(({ name }) => name) ?? [] }),
    } satisfies ProbeOutcome;
  },
};

/** The operations of one connection, one after the other. */
class LdapSession {
  readonly dialogue: Dialogue;
  private lastId = 0;

  constructor(dialogue: Dialogue) {
    this.dialogue = dialogue;
  }

  /** Sends a request and reads until its end. `onEntry` gets the entries of a search. */
  async ask(
    request: (id: number) => Buffer,
    shown: string,
    kind: LdapResult['kind'],
    onEntry?: (entry: LdapEntry) => void,
  ): Promise<LdapResult> {
    const { dialogue } = this;
    const { peer } = dialogue.connection;
    this.lastId += 1;
    const id = this.lastId;
    await dialogue.write(request(id), shown);
    for (let others = 0; others <= maxOthers; ) {
      const message = await readMessage(dialogue);
      if (dialogue.received > maxReceived) throw wrongProtocol(peer, 'more than 4 MiB');
      const { body } = message;
      // A server that ends the connection says why (RFC 4511 section 4.4.1).
      if (message.id === 0 && body.kind === 'extended')
        throw new Failure(resultCode.protocol, `${peer} ends the connection: ${quoteShort(body.text, 300)}`);
      if (message.id !== id) throw wrongProtocol(peer, 'the answer to another request');
      if (body.kind === 'other') others += 1;
      else if (body.kind === 'entry' && onEntry) onEntry(body);
      else if (body.kind === kind) return body;
      else throw wrongProtocol(peer, 'another kind of answer');
    }
    throw wrongProtocol(peer, `more than ${maxOthers} references`);
  }

  /** The server closes the connection without an answer. */
  async unbind(): Promise<void> {
    this.lastId += 1;
    await this.dialogue.write(unbindRequest(this.lastId), 'unbind');
  }
}

const refusals: readonly number[] = [
  ldapCode.strongerAuthRequired,
  ldapCode.confidentialityRequired,
  ldapCode.inappropriateAuthentication,
  ldapCode.invalidCredentials,
  ldapCode.insufficientAccessRights,
  ldapCode.unwillingToPerform,
];

async function bind(session: LdapSession, login: Login | undefined): Promise<void> {
  const { user, password } = login ?? { user: '', password: '' };
  const shown = login === undefined ? 'anonymous bind' : `bind as ${user}, password ***`;
  const answer = await session.ask((id) => bindRequest(id, user, password), shown, 'bind');
  if (answer.code === ldapCode.success) return;
  if (refusals.includes(answer.code)) throw loginRefused(answer.text, adviceFor(answer.code));
  throw new Failure(resultCode.protocol, `the bind failed: ${quoteShort(answer.text, 300)}`);
}

function adviceFor(code: number): string {
  const isTlsMissing = code === ldapCode.strongerAuthRequired || code === ldapCode.confidentialityRequired;
  return isTlsMissing ? 'set TLS Mode to StartTLS or Implicit' : '';
}

interface FoundEntries {
  readonly entries: readonly LdapEntry[];
  /** false: the server has more entries than it may return. */
  readonly isComplete: boolean;
}

async function search(
  context: ProbeContext,
  session: LdapSession,
  settings: LdapOptions,
): Promise<FoundEntries> {
  const { Base = '', Filter, Scope, ExpectEntries, ExpectAttribute } = settings;
  const reading = readFilter(Filter);
  if (!reading.ok) throw new Failure(resultCode.agent, `Filter cannot be used: ${reading.message}`);
  const limit = Math.max(sizeLimit, ExpectEntries);
  const entries: LdapEntry[] = [];
  const request = (id: number) =>
    searchRequest(id, {
      base: Base,
      scope: Scope,
      filter: reading.bytes,
      sizeLimit: limit,
      timeLimitSeconds: Math.max(1, Math.ceil(context.timeoutMs / 1000)),
      // 1.1 requests no attribute (RFC 4511 section 4.5.1.8).
      attributes: [ExpectAttribute?.split('=', 1)[0] ?? '1.1'],
    });
  const answer = await session.ask(request, `search ${Base} ${Filter}`, 'search', (entry) => {
    entries.push(entry);
    if (entries.length > limit)
      throw wrongProtocol(session.dialogue.connection.peer, `more than the ${limit} entries asked for`);
  });
  const isComplete = answer.code === ldapCode.success;
  context.addDetail('Search', { Entries: entries.length, IsComplete: isComplete });
  context.diagnostics(
    'Entries',
    entries.slice(0, 20).map(({ name }) => name),
  );
  if (isComplete || answer.code === ldapCode.sizeLimitExceeded) return { entries, isComplete };
  throw searchFailure(answer, Base);
}

function searchFailure({ code, text }: LdapResult, base: string): Failure {
  const said = quoteShort(text, 300);
  if (code === ldapCode.noSuchObject)
    return notMet(`the base ${quoteShort(base, 200)} does not exist: ${said}`);
  if (code === ldapCode.timeLimitExceeded)
    return new Failure(resultCode.timeout, `the search took too long: ${said}`);
  if (refusals.includes(code)) return new Failure(resultCode.login, `the search is refused: ${said}`);
  return new Failure(resultCode.protocol, `the search failed: ${said}`);
}

function judge(found: FoundEntries, { ExpectEntries, ExpectAttribute }: LdapOptions): Failure | undefined {
  if (found.entries.length < ExpectEntries)
    return notMet(`${entriesText(found)} found, at least ${ExpectEntries} expected`);
  if (ExpectAttribute === undefined) return undefined;
  const at = ExpectAttribute.indexOf('=');
  const name = (at < 0 ? ExpectAttribute : ExpectAttribute.slice(0, at)).toLowerCase();
  const value = at < 0 ? undefined : ExpectAttribute.slice(at + 1).toLowerCase();
  const fits = ({ attributes }: LdapEntry) => {
    const values = attributes.get(name);
    return (
      values !== undefined && (value === undefined || values.some((each) => each.toLowerCase() === value))
    );
  };
  if (found.entries.some(fits)) return undefined;
  return notMet(`${entriesText(found)} found, none with ${quoteShort(ExpectAttribute, 200)}`);
}

function entriesText({ entries, isComplete }: FoundEntries): string {
  const count = `${isComplete ? '' : 'at least '}${entries.length}`;
  return entries.length === 1 && isComplete ? '1 entry' : `${count} entries`;
}
