import { z } from 'zod';
import type { MessageLink } from './answers.ts';
import type { Channel, Notice } from './channel.ts';
import { chatText } from './chat-text.ts';
import { createHttpChannel, type HttpChannelSettings, jsonHeaders } from './http-channel.ts';
import { type IncidentStage, stageOf } from './incident.ts';

/** A text object of a section has at most 3,000 characters; a character that is escaped needs up to five. */
const maxSectionLength = 600;
/** Characters of a message before they are escaped: all sections together stay far below Slack's 50 blocks. */
const maxTextLength = 7_900;

const stored = z.object({ text: z.string(), attachments: z.array(z.json()).optional() });

const colors: Readonly<Record<IncidentStage, string>> = {
  begins: '#d0342c',
  acknowledged: '#c58a00',
  ends: '#2e8540',
  happened: '#c58a00',
};

/**
 * Slack's incoming webhooks (docs.slack.dev, "Sending messages using incoming webhooks"): a text, and an attachment
 * with a color, whose blocks are plain text and link buttons ("Legacy: secondary message attachments", "Block Kit",
 * "Button element"). Plain text has no marks, so `_ * ~` in a name format nothing; the text above it is not formatted
 * either (`mrkdwn: false`). The address is the credential. Slack answers 200; 400, 403, 404 and 410 say that it will
 * never accept the message; 429 has Retry-After.
 */
export function createSlack(settings: HttpChannelSettings): Channel {
  return createHttpChannel(settings, {
    compose: messageOf,
    requestOf: ({ message, to }) => {
      const options = { mrkdwn: false, unfurl_links: false, unfurl_media: false };
      const body = JSON.stringify({ ...stored.parse(message), ...options });
      return { url: new URL(to.address), headers: jsonHeaders(), body };
    },
    gone: [400, 403, 404, 410],
  });
}

function messageOf(notices: readonly Notice[]) {
  const { title, lines, links } = chatText(notices, maxTextLength);
  const sections = sectionTexts(lines).map((text) => ({ type: 'section', text: plainText(text) }));
  const actions =
    links.length === 0
      ? []
      : [{ type: 'actions', elements: links.map((link, index) => button(link, index)) }];
  const blocks = [...sections, ...actions];
  const text = escapeControls(title);
  if (blocks.length === 0) return { text };
  return { text, attachments: [{ color: colors[stageOf(notices)], fallback: text, blocks }] };
}

/** The lines in as few texts as their limit permits. */
function sectionTexts(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines.flatMap(pieces)) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= maxSectionLength)
      texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts;
}

/** A line in pieces that a section holds. */
function pieces(line: string): readonly string[] {
  const count = Math.max(1, Math.ceil(line.length / maxSectionLength));
  return Array.from({ length: count }, (_, n) =>
    line.slice(n * maxSectionLength, (n + 1) * maxSectionLength).toWellFormed(),
  );
}

function plainText(text: string) {
  return { type: 'plain_text', text: escapeControls(text), emoji: false };
}

/** A button that opens a page; what it does is decided there. */
function button({ label, url }: MessageLink, index: number) {
  return {
    type: 'button',
    text: plainText(label),
    url,
    action_id: `link-${index}`,
    ...(index === 0 ? { style: 'primary' } : {}),
  };
}

/**
 * Slack's three control characters. Escaped, a name can neither mention people nor make a link ("Formatting text",
 * "Escaping text").
 */
function escapeControls(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
