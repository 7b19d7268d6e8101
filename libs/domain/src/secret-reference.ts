/** The storage of a referenced value: `secret` is the account's secrets, `local` a file on the agent's machine. */
export type SecretScope = 'secret' | 'local';

const name = '[A-Za-z0-9_.-]{1,100}';
const wholeReference = new RegExp(`^\\$\\{(?:secret|local):${name}\\}$`);
const references: Readonly<Record<SecretScope, RegExp>> = {
  secret: new RegExp(`\\$\\{secret:(${name})\\}`, 'g'),
  local: new RegExp(`\\$\\{local:(${name})\\}`, 'g'),
};
const calls: Readonly<Record<SecretScope, RegExp>> = {
  secret: new RegExp(`\\bsecret\\s*\\(\\s*(["'\`])(${name})\\1\\s*\\)`, 'g'),
  local: new RegExp(`\\bsecret\\s*\\(\\s*(["'\`])local:(${name})\\1\\s*\\)`, 'g'),
};

/** The form of a secret's name. */
export const secretNamePattern = new RegExp(`^${name}$`);

/** The reference to a secret in a setting: `${secret:NAME}` or `${local:NAME}`. */
export function secretReference(scope: SecretScope, secretName: string): string {
  return `\${${scope}:${secretName}}`;
}

/** Whether a text is exactly one `${secret:NAME}` or `${local:NAME}`. */
export function isSecretReference(text: string): boolean {
  return wholeReference.test(text);
}

/** The names of all references of a scope in a text, in order. */
export function referencedNames(scope: SecretScope, text: string): string[] {
  return [...text.matchAll(references[scope])].flatMap(([, found]) => found ?? []);
}

/** The text with each reference of a scope replaced. A reference without a value stays. */
export function fillReferences(
  scope: SecretScope,
  text: string,
  lookup: (secretName: string) => string | undefined,
): string {
  return text.replace(references[scope], (whole, found: string) => lookup(found) ?? whole);
}

/**
 * The names in the calls `secret("NAME")` or `secret("local:NAME")` of a script, in order. A name that the script
 * composes at run time is not found, so the script does not receive that value.
 */
export function calledSecretNames(scope: SecretScope, script: string): string[] {
  return [...script.matchAll(calls[scope])].flatMap(([, , found]) => found ?? []);
}
