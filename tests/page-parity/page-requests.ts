import ts from 'typescript';
import { createFieldReader } from './body-fields.ts';
import { type PageProgram, symbolOf, visit } from './page-program.ts';

/** A request that the page can send. */
export interface PageRequest {
  /** Method and path of the document, for example `PUT /tags/{tag_id}`. */
  readonly operation: string;
  /** Paths of the fields that its body can have. */
  readonly fields: ReadonlySet<string>;
  /** The folders of the screens, and `parts` for the frame, from which it is sent. */
  readonly screens: readonly string[];
}

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const prefix = '/v1.1';

/**
 * The requests of the page, found in its sources: calls of the typed client, calls of `fetch`, links to the API (files
 * to download), and operations of a batch. `paths` are those of the document.
 */
export function requestsOf(page: PageProgram, paths: readonly string[]): readonly PageRequest[] {
  const fieldsOf = createFieldReader(page);
  const screensOf = createScreenFinder(page);
  const found: PageRequest[] = [];
  const add = (node: ts.Node, method: string, path: string, body: ts.Expression | undefined) => {
    const known = matchingPath(path, paths);
    if (known === undefined) return;
    const fields = body === undefined ? new Set<string>() : fieldsOf(body);
    found.push({ operation: `${method} ${known}`, fields, screens: screensOf(node) });
  };
  for (const file of page.files)
    visit(file, (node) => {
      if (ts.isCallExpression(node)) {
        const client = clientCall(node);
        if (client !== undefined) add(node, client.method, client.path, client.body);
        const fetched = fetchCall(node, page.checker);
        if (fetched !== undefined) add(node, fetched.method, fetched.path, fetched.body);
      } else if (ts.isObjectLiteralExpression(node)) {
        const operation = batchOperation(node, page);
        for (const path of operation?.paths ?? []) add(node, operation?.method ?? '', path, operation?.body);
      } else if (isText(node) && !isFetched(node)) {
        const path = textOf(node);
        if (path.startsWith(`${prefix}/`)) add(node, 'GET', path.slice(prefix.length), undefined);
      }
    });
  return found;
}

type Text = ts.StringLiteralLike | ts.TemplateExpression;
const isText = (node: ts.Node): node is Text => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
const isFetched = ({ parent }: ts.Node) =>
  (ts.isCallExpression(parent) && parent.expression.getText() === 'fetch') ||
  ts.isVariableDeclaration(parent);

/** A text in which each inserted value is `*`. */
function textOf(node: Text): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `*${literal.text}`).join('');
}

/** The path of the document for a path with ids or `*`. */
function matchingPath(given: string, paths: readonly string[]): string | undefined {
  const path = given.replace(/\*?\?.*$/, '');
  if (paths.includes(path)) return path;
  const steps = path.split('/');
  return paths.find((known) => {
    const others = known.split('/');
    return (
      others.length === steps.length &&
      others.every((step, at) => step === steps[at] || (step.startsWith('{') && steps[at] === '*'))
    );
  });
}

function property(node: ts.Expression | undefined, name: string): ts.Expression | undefined {
  if (node === undefined || !ts.isObjectLiteralExpression(node)) return undefined;
  for (const each of node.properties) {
    if (each.name === undefined || !ts.isIdentifier(each.name) || each.name.text !== name) continue;
    if (ts.isPropertyAssignment(each)) return each.initializer;
    if (ts.isShorthandPropertyAssignment(each)) return each.name;
  }
  return undefined;
}

/** `api.PUT('/tags/{tag_id}', { body })`. */
function clientCall(node: ts.CallExpression) {
  const [path, init] = node.arguments;
  if (!ts.isPropertyAccessExpression(node.expression) || !methods.has(node.expression.name.text))
    return undefined;
  if (path === undefined || !ts.isStringLiteralLike(path)) return undefined;
  return { method: node.expression.name.text, path: path.text, body: property(init, 'body') };
}

/** `fetch('/v1.1/session', { method: 'POST', body: JSON.stringify(body) })`. */
function fetchCall(node: ts.CallExpression, checker: ts.TypeChecker) {
  const [address, init] = node.arguments;
  if (node.expression.getText() !== 'fetch' || address === undefined) return undefined;
  const declared = ts.isIdentifier(address) ? symbolOf(address, checker)?.valueDeclaration : undefined;
  const text = declared !== undefined && ts.isVariableDeclaration(declared) ? declared.initializer : address;
  if (text === undefined || !isText(text) || !textOf(text).startsWith(prefix)) return undefined;
  const method = property(init, 'method');
  const body = property(init, 'body');
  return {
    method: method !== undefined && ts.isStringLiteralLike(method) ? method.text : 'GET',
    path: textOf(text).slice(prefix.length),
    body: body !== undefined && ts.isCallExpression(body) ? body.arguments[0] : body,
  };
}

/** `{ Method: 'PUT', Path: `/devices/${id}`, Body }`, also by a function that has these as parameters. */
function batchOperation(node: ts.ObjectLiteralExpression, page: PageProgram) {
  const method = property(node, 'Method');
  const path = property(node, 'Path');
  if (method === undefined || path === undefined || !ts.isStringLiteralLike(method)) return undefined;
  if (!methods.has(method.text)) return undefined;
  return { method: method.text, paths: pathTexts(path, page), body: property(node, 'Body') };
}

/** The paths that an expression can be; ids in it are `*`. */
function pathTexts(node: ts.Expression, page: PageProgram): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node)) {
    let texts = [node.head.text];
    for (const { expression, literal } of node.templateSpans) {
      const parts = pathTexts(expression, page);
      texts = texts.flatMap((text) =>
        (parts.length === 0 ? ['*'] : parts).map((part) => `${text}${part}${literal.text}`),
      );
    }
    return texts;
  }
  if (ts.isCallExpression(node)) {
    const declared = symbolOf(node.expression, page.checker)?.valueDeclaration;
    const initializer =
      declared !== undefined && ts.isVariableDeclaration(declared) ? declared.initializer : undefined;
    if (initializer !== undefined && ts.isArrowFunction(initializer) && !ts.isBlock(initializer.body))
      return pathTexts(initializer.body, page);
    return [];
  }
  const declared = ts.isIdentifier(node) ? symbolOf(node, page.checker)?.valueDeclaration : undefined;
  if (declared === undefined || !ts.isParameter(declared)) return [];
  const { parent } = declared;
  const at = parent.parameters.indexOf(declared);
  const name = ts.isVariableDeclaration(parent.parent) ? parent.parent.name : parent.name;
  const symbol = name === undefined ? undefined : symbolOf(name, page.checker);
  const uses = (symbol === undefined ? undefined : page.uses.get(symbol)) ?? [];
  return uses.flatMap(({ parent: call }) => {
    const argument = ts.isCallExpression(call) ? call.arguments[at] : undefined;
    return argument === undefined ? [] : pathTexts(argument, page);
  });
}

/** Finds the screens that lead to a place in the sources, through the functions that use each other. */
function createScreenFinder(page: PageProgram) {
  return (from: ts.Node): readonly string[] => {
    const screens = new Set<string>();
    const seen = new Set<ts.Node>();
    const search = (node: ts.Node): void => {
      const statement = topLevel(node);
      if (seen.has(statement)) return;
      seen.add(statement);
      const [folder, screen] = page.nameOf(statement.getSourceFile()).split('/');
      if (folder === 'screens' && screen !== undefined) screens.add(screen);
      else if (folder === 'parts') screens.add(folder);
      for (const name of declaredNames(statement)) {
        const symbol = symbolOf(name, page.checker);
        for (const use of (symbol === undefined ? undefined : page.uses.get(symbol)) ?? [])
          if (use !== name && !ts.isImportSpecifier(use.parent)) search(use);
      }
    };
    search(from);
    return [...screens].sort();
  };
}

function topLevel(node: ts.Node): ts.Node {
  return node.parent === undefined || ts.isSourceFile(node.parent) ? node : topLevel(node.parent);
}

function declaredNames(statement: ts.Node): readonly ts.Identifier[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name).filter(ts.isIdentifier);
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return statement.name === undefined ? [] : [statement.name];
  return [];
}
