import type { Schemas } from '@vantage/client';
import { api, take, takeAnswer } from './api.ts';
import { ifUnchanged } from './if-match.ts';

export type StatusPage = Schemas['Page'];

/** A status page as it was read. A change is refused if the page has changed since. */
export interface OpenedPage {
  readonly page: StatusPage;
  readonly etag: string | undefined;
}

/** All status pages, by name. */
export const readStatusPages = (): Promise<readonly StatusPage[]> => take(api.GET('/pages'));

export async function readStatusPage(page_id: string): Promise<OpenedPage> {
  const { data, etag } = await takeAnswer(api.GET('/pages/{page_id}', { params: { path: { page_id } } }));
  return { page: data, etag };
}

/** Creates a status page; resolves with its id. */
export async function createStatusPage(body: Schemas['PageCreate']): Promise<string> {
  return (await take(api.POST('/pages', { body }))).page_id;
}

const requestFor = ({ page: { page_id }, etag }: OpenedPage) => ({
  params: { path: { page_id } },
  headers: etag === undefined ? {} : { 'If-Match': etag },
});

/** Changes a status page. `conflict` is the message if it has changed since it was read. */
export function changeStatusPage(
  opened: OpenedPage,
  body: Schemas['PageUpdate'],
  conflict: string,
): Promise<OpenedPage> {
  return ifUnchanged(async () => {
    const { data, etag } = await takeAnswer(api.PUT('/pages/{page_id}', { ...requestFor(opened), body }));
    return { page: data, etag };
  }, conflict);
}

export async function removeStatusPage(opened: OpenedPage): Promise<void> {
  await take(api.DELETE('/pages/{page_id}', requestFor(opened)));
}
