import { escapeHtml } from '@vantage/kernel';

/** The formats of a templated body, which decide how values are escaped. */
export const bodyTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
] as const;

export type BodyType = (typeof bodyTypes)[number];

/** Template names of facts, as webhooks name them. A fact that a message lacks is empty. */
export const factNames = [
  ...(['alert_id', 'device_id', 'check_id', 'ShortName', 'FullName', 'URL', 'Method', 'Status'] as const),
  ...(['Since', 'CheckResult', 'Location', 'Master', 'Reason', 'Severity', 'Seconds'] as const),
  ...(['Contact', 'Agent', 'Message', 'DownSince', 'Number', 'AcknowledgedBy'] as const),
  ...(['FailingLocations', 'GoodLocations'] as const),
] as const;

/** Template names that every message has; see docs/contacts.md. */
const generalNames = ['Kind', 'Title', 'Text', 'Timestamp', 'To'] as const;
/** Names whose values are known only when the message is sent. They are never stored. */
const lateNames = ['Secret', 'Acknowledge', 'Snooze', 'Details'] as const;

/** A name whose value is known when the message is sent. */
export type LateTemplateName = (typeof lateNames)[number];

/** A name whose value is known when the message is composed. */
export type TemplateName = (typeof factNames)[number] | (typeof generalNames)[number];

const knownLateNames: ReadonlyMap<string, LateTemplateName> = new Map(lateNames.map((name) => [name, name]));
const knownNames: ReadonlyMap<string, TemplateName> = new Map(
  [...generalNames, ...factNames].map((name) => [name, name]),
);
const allNames = [...generalNames, ...lateNames, ...factNames];
const placeholder = /\{\{([^{}]*)\}\}/g;

/** A part of a body: text, or a name that is filled when the message is sent. */
export type BodyPart = { readonly text: string } | { readonly late: LateTemplateName };

/**
 * Fills the known values into a template. `valueIn` returns plain values, which are escaped for the body type. Pure.
 */
export function fillTemplate(
  template: string,
  type: BodyType,
  valueIn: (name: TemplateName) => string,
): readonly BodyPart[] {
  const parts: BodyPart[] = [];
  let from = 0;
  for (const found of template.matchAll(placeholder)) {
    const name = (found[1] ?? '').trim();
    const [late, known] = [knownLateNames.get(name), knownNames.get(name)];
    parts.push({ text: template.slice(from, found.index) });
    if (late !== undefined) parts.push({ late });
    else if (known !== undefined) parts.push({ text: escapeFor(type, valueIn(known)) });
    from = found.index + found[0].length;
  }
  return [...parts, { text: template.slice(from) }];
}

/** A value escaped for a body of this type: for a JSON string, a form or XML. Pure. */
export function escapeFor(type: BodyType, value: string): string {
  switch (type) {
    case 'application/json':
      return JSON.stringify(value).slice(1, -1);
    case 'application/x-www-form-urlencoded':
      return encodeURIComponent(value.toWellFormed());
    case 'application/xml':
      return escapeHtml(value); // its entities are known to XML too
    case 'text/plain':
      return value;
  }
}

/** The fault of a template, as the rest of a sentence that begins with the field's name. Pure. */
export function templateFault(template: string, type: BodyType): string | null {
  const unknown = [...template.matchAll(placeholder)].find(
    ([, name = '']) => !knownLateNames.has(name.trim()) && !knownNames.has(name.trim()),
  );
  if (unknown !== undefined)
    return `has the unknown name ${unknown[0].slice(0, 60)}; known are ${allNames.map((name) => `{{${name}}}`).join(', ')}`;
  if (type !== 'application/json' || isJson(sampleOf(template))) return null;
  return 'is not JSON when its names are filled; put each name into quotes, for example {"text": "{{Text}}"}';
}

/** The body with a harmless value for each name. */
function sampleOf(template: string): string {
  return fillTemplate(template, 'application/json', () => 'x')
    .map((part) => ('text' in part ? part.text : 'x'))
    .join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
