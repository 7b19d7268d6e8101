import type { AnswerLine } from './answer-line.ts';
import { answersOf } from './answers.ts';
import type { Channel, Notice } from './channel.ts';
import { capital, factText } from './fact-text.ts';
import { createHttpChannel, type HttpChannelSettings } from './http-channel.ts';
import { countsOf, worstFirst } from './message-group.ts';
import { lineOf } from './message-headline.ts';
import { fitSms, simplified, smsSize } from './sms-parts.ts';
import { composeTemplate, requestOfTemplate, type TemplateText } from './template.ts';

/** More parts cost more and arrive out of order. */
const maxParts = 3;

/** The body of gateways that take JSON with a number and a text. */
const defaultBody = '{"to": "{{To}}", "text": "{{Text}}"}';

/**
 * SMS by the HTTP interface of a gateway: a POST whose body is the contact's template. A message says what, why, since,
 * from where, what else and what to do (the link to acknowledge), or names as many devices as three parts of an SMS
 * hold.
 */
export function createSms(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: (notices, options) => composeTemplate(notices, options, { ...smsText(notices), defaultBody }),
    requestOf: requestOfTemplate,
    gone: [400, 401, 403, 404, 410],
  });
}

/** The text, and whether the link to acknowledge follows it: together at most three parts. Pure. */
function smsText(notices: readonly Notice[]): TemplateText {
  const [only, ...more] = notices;
  if (only === undefined) return { text: 'Vantage', hasLink: false };
  if (more.length === 0) {
    const { headline, lines, links } = answersOf(only);
    const sentences = lines
      .filter(isForSms)
      .map(({ label, text }) => (label === 'From where' ? `${capital(text)}.` : `${label}: ${text}.`));
    const name = factText(only.data['FullName']);
    const named = name === undefined || headline.includes(name) ? [] : [`Name: ${name}.`];
    if (links.length === 0)
      return { text: fitSms([headline, ...named, ...sentences].join(' '), maxParts), hasLink: false };
    return textBeforeLink([[headline, ...named, ...sentences], [headline, ...sentences], [headline]]);
  }
  return { text: groupText(notices), hasLink: false };
}

/** The first of these texts that leaves room for the link, else the last one without it. */
function textBeforeLink(texts: readonly (readonly string[])[]): TemplateText {
  const joined = texts.map((sentences) => simplified(sentences.join(' ')));
  const text = joined.find((each) => smsSize(`${each}${roomOfLink}`).parts <= maxParts);
  return text === undefined
    ? { text: fitSms(joined.at(-1) ?? '', maxParts), hasLink: false }
    : { text, hasLink: true };
}

/** The link is signed when the message leaves. It takes 91 characters after the controller's address. */
const roomOfLink = ` Acknowledge: ${'x'.repeat(150)}`;

/** A trace is too long for an SMS, and three parts are too few for lines that need no action. */
function isForSms({ question, label, text }: AnswerLine): boolean {
  if (question === 'next') return label === 'What to do' && !text.startsWith('nothing');
  return question === 'else' || (question === 'where' && label !== 'Trace');
}

/** The worst notices that fit, and the number of the others. */
function groupText(notices: readonly Notice[]): string {
  const lines = worstFirst(notices).map((notice) => simplified(lineOf(notice)));
  let text = fitSms(`${countsOf(notices)}.`, maxParts);
  for (const [index, line] of lines.entries()) {
    const rest = lines.length - index - 1;
    const next = `${text}\n${line}`;
    const full = rest === 0 ? next : `${next}\nand ${rest} more`;
    if (smsSize(full).parts > maxParts) return `${text}\nand ${lines.length - index} more`;
    text = next;
  }
  return text;
}
