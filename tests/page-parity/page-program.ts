import path from 'node:path';
import ts from 'typescript';

/** The sources of the page, as the compiler reads them. */
export interface PageProgram {
  readonly checker: ts.TypeChecker;
  /** The files of the page without its tests. */
  readonly files: readonly ts.SourceFile[];
  /** Uses of each declared name, by the symbol of the declaration. */
  readonly uses: ReadonlyMap<ts.Symbol, readonly ts.Identifier[]>;
  /** The path of a file below `src`. */
  readonly nameOf: (file: ts.SourceFile) => string;
  /** Whether a declaration is in the page, and not in the types of the OpenAPI document. */
  readonly isOfPage: (declaration: ts.Node) => boolean;
}

export function readPage(root: string): PageProgram {
  const folder = path.join(root, 'apps/dashboard');
  const config = ts.getParsedCommandLineOfConfigFile(path.join(folder, 'tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (config === undefined) throw new Error('the page has no tsconfig.json');
  const program = ts.createProgram(config.fileNames, { ...config.options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const source = path.join(folder, 'src') + path.sep;
  const isPageFile = (file: ts.SourceFile) =>
    file.fileName.startsWith(source) && !/\.test\.tsx?$|\/testing\//.test(file.fileName);
  const files = program.getSourceFiles().filter(isPageFile);
  return {
    checker,
    files,
    uses: usesOf(files, checker),
    nameOf: (file) => file.fileName.slice(source.length),
    isOfPage: (declaration) => isPageFile(declaration.getSourceFile()),
  };
}

/** The symbol of a name; an import's is that of the declaration. */
export function symbolOf(node: ts.Node, checker: ts.TypeChecker): ts.Symbol | undefined {
  const symbol =
    node.parent !== undefined && ts.isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : checker.getSymbolAtLocation(node);
  return symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0
    ? checker.getAliasedSymbol(symbol)
    : symbol;
}

function usesOf(files: readonly ts.SourceFile[], checker: ts.TypeChecker) {
  const uses = new Map<ts.Symbol, ts.Identifier[]>();
  for (const file of files)
    visit(file, (node) => {
      if (!ts.isIdentifier(node)) return;
      const symbol = symbolOf(node, checker);
      if (symbol === undefined) return;
      const known = uses.get(symbol);
      if (known === undefined) uses.set(symbol, [node]);
      else known.push(node);
    });
  return uses;
}

export function visit(node: ts.Node, each: (node: ts.Node) => void): void {
  each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}
