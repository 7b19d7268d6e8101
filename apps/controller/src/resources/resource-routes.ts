import { type FieldFault, isId } from '@vantage/kernel';
import { idField } from '@vantage/rest-kit/field';
import { nextPage, wholeOrPageQuery } from '@vantage/rest-kit/paging';
import { missing, type NamedThing } from '@vantage/rest-kit/problem';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route, validatingRoute } from '@vantage/rest-kit/route-factories';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { Catalog, ChangeTransaction } from './change.ts';
import { actorOf } from './change.ts';
import { identityQuery } from './external-key.ts';
import type { Refusal } from './refusal.ts';
import { accepted } from './refusal.ts';

/** The names of a kind of resource. */
interface Names<Id extends string> {
  /** Group in the OpenAPI document. */
  readonly tag: string;
  /** For people: `No such <what>.` */
  readonly what: NamedThing;
  /** Name of one in paths and XML; the path and the list are its plural. */
  readonly root: string;
  readonly id: Id;
}

/** A sentence for the list of routes, and a longer text. */
interface Texts {
  readonly summary: string;
  readonly description?: string;
}

/** The rows of an account to list; `id` narrows the list to one. */
export interface ResourcePage {
  readonly limit: number;
  readonly offset: number;
  readonly id?: string | undefined;
  readonly externalKey?: string | undefined;
  readonly source?: string | undefined;
}

/** Settings as they were sent: the valid fields, and the faults of the others. */
export interface SentFields<Values> {
  readonly values: Values;
  readonly faults: readonly FieldFault[];
}

/** A kind of resource that is listed by name, created, read, changed in part and deleted. */
interface ResourceSpec<
  Row,
  Id extends string,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Full extends z.ZodType,
> {
  readonly names: Names<Id>;
  /** See `Route`, for the two routes that read. */
  readonly limitedCallers?: 'refused';
  readonly texts: Readonly<Record<'create' | 'list' | 'read' | 'change' | 'remove', Texts>>;
  readonly create: Create;
  readonly update: Update;
  readonly full: Full;
  /** The read-only fields of the resource. */
  readonly readOnly: readonly string[];
  readonly catalog: Catalog;
  readonly list: (
    db: Reader,
    accountNo: number,
    page: ResourcePage,
  ) => Promise<{ readonly rows: readonly Row[]; readonly total: number }>;
  readonly show: (row: Row, session: Session) => z.input<Full>;
  readonly write: {
    readonly create: (
      transaction: ChangeTransaction,
      given: { readonly accountNo: number; readonly sent: SentFields<Partial<z.output<Create>>> },
    ) => Promise<{ readonly kind: 'created'; readonly id: string } | Refusal>;
    readonly change: (
      transaction: ChangeTransaction,
      given: {
        readonly accountNo: number;
        readonly id: string;
        readonly sent: SentFields<Partial<z.output<Update>>>;
      },
    ) => Promise<{ readonly kind: 'changed' } | Refusal>;
    readonly remove: (
      transaction: ChangeTransaction,
      given: { readonly accountNo: number; readonly id: string },
    ) => Promise<{ readonly kind: 'deleted' } | Refusal>;
  };
}

/** The common part of the routes of one such resource: their path, and how the row is found. */
export function resourceSubject<Row>({
  names: { root, id, tag, what },
  list,
}: {
  readonly names: Names<string>;
  readonly list: (
    db: Reader,
    accountNo: number,
    page: ResourcePage,
  ) => Promise<{ readonly rows: readonly Row[] }>;
}) {
  const find = async ({ accountNo }: Session, params: Readonly<Record<string, string>>, db: Reader) => {
    const sent = params[id] ?? '';
    if (!isId(sent)) return undefined;
    const { rows } = await list(db, accountNo, { limit: 1, offset: 0, id: sent });
    const [row] = rows;
    return row === undefined ? undefined : { id: sent, row };
  };
  return { path: `/${root}s/{${id}}`, tag, subject: { what, find }, names: { root, id } } as const;
}

/** The five routes of a kind of resource. */
export function resourceRoutes<
  Row,
  Id extends string,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Full extends z.ZodType,
>(spec: ResourceSpec<Row, Id, Create, Update, Full>): Route[] {
  return [...collectionRoutes(spec), ...singleRoutes(spec)];
}

function collectionRoutes<
  Row,
  Id extends string,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Full extends z.ZodType,
>({
  names,
  limitedCallers,
  texts,
  create,
  full,
  readOnly,
  catalog,
  list,
  show,
  write,
}: ResourceSpec<Row, Id, Create, Update, Full>): Route[] {
  const { root, id, tag } = names;
  return [
    validatingRoute({
      ...texts.create,
      method: 'POST',
      path: `/${root}s`,
      level: 'UW',
      tag,
      subject: noSubject,
      body: create,
      readOnly,
      response: idAnswer(id),
      names: { root, id },
      handler: async ({ db, session, body, faults }) => {
        const creation = { accountNo: session.accountNo, sent: { values: body, faults } };
        const made = accepted(
          await catalog.change(db, actorOf(session), (transaction) => write.create(transaction, creation)),
        );
        return { body: { [id]: made.id } };
      },
    }),
    route({
      ...texts.list,
      ...(limitedCallers && { limitedCallers }),
      method: 'GET',
      path: `/${root}s`,
      level: 'UR',
      tag,
      subject: noSubject,
      query: z.object({ ...identityQuery, ...wholeOrPageQuery }),
      response: z.array(full),
      names: { root: `${root}s`, row: root, id },
      handler: async ({ db, session, query: { ExternalKey, Source, Limit, Offset } }) => {
        const page = { externalKey: ExternalKey, source: Source, limit: Limit, offset: Offset };
        const { rows, total } = await list(db, session.accountNo, page);
        const body = rows.map((row) => show(row, session));
        return { body, total, next: nextPage(total, { Limit, Offset }) };
      },
    }),
  ];
}

function singleRoutes<
  Row,
  Id extends string,
  Create extends z.ZodObject,
  Update extends z.ZodObject,
  Full extends z.ZodType,
>(spec: ResourceSpec<Row, Id, Create, Update, Full>): Route[] {
  const { names, limitedCallers, texts, update, full, readOnly, catalog, show, write } = spec;
  const shared = resourceSubject(spec);
  return [
    route({
      ...shared,
      ...texts.read,
      ...(limitedCallers && { limitedCallers }),
      method: 'GET',
      level: 'UR',
      response: full,
      handler: async ({ session, subject }) => ({ body: show(subject.row, session) }),
    }),
    validatingRoute({
      ...shared,
      ...texts.change,
      method: 'PUT',
      level: 'UW',
      body: update,
      readOnly,
      response: full,
      handler: async ({ db, session, subject: { id }, body, faults }) => {
        const update = { accountNo: session.accountNo, id, sent: { values: body, faults } };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) => write.change(transaction, update)),
        );
        const changed = await shared.subject.find(session, { [names.id]: id }, db);
        if (changed === undefined) throw missing(names.what);
        return { body: show(changed.row, session) };
      },
    }),
    route({
      ...shared,
      ...texts.remove,
      method: 'DELETE',
      level: 'UW',
      response: idAnswer(names.id),
      handler: async ({ db, session, subject: { id } }) => {
        const removal = { accountNo: session.accountNo, id };
        accepted(
          await catalog.change(db, actorOf(session), (transaction) => write.remove(transaction, removal)),
        );
        return { body: { [names.id]: id } };
      },
    }),
  ];
}

function idAnswer(id: string) {
  return z.strictObject({ [id]: idField });
}
