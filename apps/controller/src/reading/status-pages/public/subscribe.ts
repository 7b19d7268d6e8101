import { clientNetwork } from '@vantage/kernel';
import type { AttemptLimit } from '@vantage/rest-kit/attempt-limit';
import type { FormRequest, OuterReply } from '@vantage/rest-kit/outer-routes';
import { buttonHtml, sentenceHtml } from './html.ts';
import type { ReadPage } from './page-view.ts';
import { html, type StatusRouteDeps, subscribedPage, unknownPage } from './status-replies.ts';

/** Subscriptions that one address may request in a minute. */
export const requestsPerMinute = 5;

/** Answers a request for mails. The answer is the same whether the address is subscribed already. */
export async function subscribe(
  { subscriptions: read, asking, baseUrl }: StatusRouteDeps & { readonly asking: AttemptLimit },
  page: ReadPage,
  { isSent, fields, address }: FormRequest,
): Promise<OuterReply> {
  const subscriptions = read();
  if (subscriptions === undefined || !isSent) return unknownPage();
  const turn = asking.begin(clientNetwork(address));
  if ('waitS' in turn)
    return html(503, sentenceHtml('Too many requests', `Try again in ${turn.waitS} seconds.`));
  const fault = await subscriptions.ask(subscribedPage(page, baseUrl()), fields.get('Email') ?? '');
  return fault === undefined
    ? html(
        200,
        sentenceHtml(
          'Look into your mailbox',
          'If the address is right and not subscribed yet, a mail with a link is on its way. Open the link within a day.',
        ),
      )
    : html(409, sentenceHtml('This is no e-mail address', `An address ${fault}.`));
}

/** Shows what a link of a mail does, and does it when its button is pressed: mail servers open links to scan them. */
export async function actOnLink(
  { subscriptions: read, baseUrl }: StatusRouteDeps,
  page: ReadPage | undefined,
  {
    action,
    token,
    isSent,
  }: { readonly action: 'confirm' | 'end'; readonly token: string; readonly isSent: boolean },
): Promise<OuterReply> {
  const subscriptions = read();
  if (page === undefined || subscriptions === undefined) return wrongLink();
  const subscribed = subscribedPage(page, baseUrl());
  const email = await subscriptions.find(subscribed, action, token);
  if (email === undefined) return wrongLink();
  const { title, text, button, done } = linkWords[action];
  if (!isSent) return html(200, buttonHtml(title, `${page.name}: ${text} ${email}`, button));
  await subscriptions.act(subscribed, action, token);
  return html(200, sentenceHtml(done, `${page.name}: ${email}`));
}

const linkWords = {
  confirm: {
    title: 'Get the news of this page?',
    text: 'mails will go to',
    button: 'Yes, send them',
    done: 'You will get the news',
  },
  end: {
    title: 'End the mails of this page?',
    text: 'no further mails to',
    button: 'Yes, end them',
    done: 'No further mails will come',
  },
} as const;

function wrongLink(): OuterReply {
  return html(404, sentenceHtml('This link is not valid', 'It has expired, or the subscription has ended.'));
}
