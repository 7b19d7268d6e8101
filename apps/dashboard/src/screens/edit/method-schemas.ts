import { texts } from '../../texts/index.ts';

/** A field of Options as the OpenAPI document describes it. */
export interface OptionSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The Options of a Method, by name. */
export type MethodSchema = Readonly<Record<string, OptionSchema>>;

const prefix = 'Options';
const outputs = /Output$|^OptionsOf/;

/** The Methods with their Options, from the API's own document. */
export async function readMethods(): Promise<ReadonlyMap<string, MethodSchema>> {
  const answer = await fetch('/v1.1/openapi.json');
  if (!answer.ok) throw new Error(texts.edit.noMethods(answer.status));
  const document = (await answer.json()) as {
    components: { schemas: Record<string, { properties?: Record<string, OptionSchema> }> };
  };
  return new Map(
    Object.entries(document.components.schemas)
      .filter(([name]) => name.startsWith(prefix) && !outputs.test(name))
      .map(([name, { properties = {} }]) => [name.slice(prefix.length), properties] as const),
  );
}
