// page_lint.cjs script|style|names|mistakes FOLDER: lints what `page_texts` wrote into FOLDER.
//
// script: ESLint, which follows scopes: a name that is not defined, unused or shadowed is found
// without running anything. `node --check` would see the grammar only, and Debian has no JSHint.
// style: CSSTree, a parser with the grammar of every property's values. Debian has no stylelint;
// csstidy and cssutils stopped at CSS 2.1, for them `gap` is unknown and 1fr wrong; tinycss2 knows
// no properties. A value with var() is matched with each value that the custom property is given.
// names: whether style, script and the code that writes pages mean the same classes, attributes,
// elements, ids and data.
// mistakes: puts mistakes into the texts, each of which one of the three must notice.
"use strict";

const fs = require("fs");
const path = require("path");
const { Linter } = require("eslint");
const espree = require("espree");
const css = require("css-tree");
const known_pseudos = require("mdn-data/css/selectors.json");
const known_properties = require("mdn-data/css/properties.json");

const parser_options = { ecmaVersion: 2021, sourceType: "script" };
// What the script may take from the browser. Not all that ESLint calls `browser`: that has `name`,
// `status`, `event` and `top`, which are mistakes wherever they are not defined by the script.
const browser = ["Blob", "DOMParser", "Request", "TextEncoder", "XMLSerializer", "btoa", "crypto",
  "document", "fetch", "location", "navigator", "performance", "sessionStorage", "setTimeout"];
const browser_elements = ["parsererror"];  // what DOMParser makes of text that is no XML
// Beside ESLint's own recommendations; what finds mistakes, nothing about taste.
const more_rules = ["array-callback-return", "block-scoped-var", "consistent-return", "eqeqeq",
  "no-caller", "no-eval", "no-implicit-globals", "no-implied-eval", "no-loop-func", "no-new-func",
  "no-param-reassign", "no-script-url", "no-self-compare", "no-template-curly-in-string",
  "no-throw-literal", "no-unmodified-loop-condition", "no-unused-expressions",
  "no-useless-concat", "no-useless-return", "no-var", "prefer-const", "radix",
  "require-atomic-updates", "require-await"];
const media_features = { "max-width": "<length>", "min-width": "<length>",
  "prefers-color-scheme": "light | dark", "prefers-reduced-motion": "no-preference | reduce" };

const own = (object, key) => Object.prototype.hasOwnProperty.call(object, key);
const problem = (node, text) => ({ line: node.loc ? node.loc.start.line : 1, text });

// --- The script ---
const lint_script = text => {
  const linter = new Linter();
  const rules = {};
  for (const [name, rule] of linter.getRules())
    if (rule.meta.docs.recommended) rules[name] = "error";
  for (const name of more_rules) rules[name] = "error";
  rules.strict = ["error", "function"];
  rules["no-shadow"] = ["error", { hoist: "all" }];  // also what is defined further down
  rules["no-use-before-define"] = ["error", { variables: false }];  // functions call later ones
  rules["no-restricted-syntax"] = ["error", {  // text that would be read as markup
    selector: "Identifier[name=/^(innerHTML|outerHTML|insertAdjacentHTML|write|writeln)$/]",
    message: "Markup from text: use textContent and append." }];
  const globals = Object.fromEntries(browser.map(name => [name, "readonly"]));
  const unused = browser.filter(name => !new RegExp("\\b" + name + "\\b").test(text));
  return [
    ...linter.verify(text, { parserOptions: parser_options, env: { es6: true }, globals, rules },
      { allowInlineConfig: false }).map(found =>
      ({ line: found.line, grammar: !found.ruleId,
        text: `${found.message} (${found.ruleId || "grammar"})` })),
    ...unused.map(name => ({ line: 1, text: `${name} is allowed here and not used` })),
  ];
};

const walk_script = (node, look) => {
  if (!node || typeof node !== "object") return;
  if (typeof node.type === "string") look(node);
  for (const key of Object.keys(node))
    if (key !== "loc" && key !== "range") walk_script(node[key], look);
};
const strings_in = tree => {
  const found = [];
  walk_script(tree, node => { if (typeof node.value === "string") found.push(node.value); });
  return found;
};

// What the script looks for and what it makes.
const names_of_script = text => {
  const used = { queries: [], data: [] };
  const made = { elements: [], classes: [], attributes: [] };
  const aliases = new Set();  // variables that hold a dataset
  const is_data = node => node.type === "MemberExpression" && node.property.name === "dataset" ||
    node.type === "Identifier" && aliases.has(node.name);
  const tree = espree.parse(text, { ...parser_options, loc: true });
  walk_script(tree, node => {
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init &&
      is_data(node.init)) aliases.add(node.id.name);
  });
  const data = (node, key) => used.data.push({ node, name: "data-" +
    key.replace(/[A-Z]/g, c => "-" + c.toLowerCase()) });
  walk_script(tree, node => {
    if (node.type === "MemberExpression" && is_data(node.object)) data(node, node.property.name);
    if (node.type === "VariableDeclarator" && node.id.type === "ObjectPattern" &&
      is_data(node.init)) node.id.properties.forEach(each => data(node, each.key.name));
    if (node.type === "BinaryExpression" && node.operator === "in" && is_data(node.right))
      data(node, node.left.value);
    if (node.type === "Property" && node.key.name === "className")
      strings_in(node.value).forEach(each => made.classes.push(...each.split(/\s+/)));
    if (node.type !== "CallExpression" || !node.arguments.length) return;
    const called = node.callee.name || node.callee.property && node.callee.property.name;
    const first = node.arguments[0].value;
    if (typeof first !== "string") return;
    if (["one", "all", "closest", "matches", "querySelector", "querySelectorAll"].includes(called))
      used.queries.push({ node, text: first });
    if (called === "make") made.elements.push(first);
    if (called === "setAttribute") made.attributes.push(first);
    if (called === "toggle") made.classes.push(first);
  });
  return { used, made };
};

// --- The style ---
// Shorthands set what they do not name as well: `longer` is undone where `shorter` comes later.
const resets = (shorter, longer) => {
  const parts = own(known_properties, shorter) && known_properties[shorter].initial;
  return Array.isArray(parts) && parts.some(part => part === longer || resets(part, longer));
};

const lint_brackets = text => {
  const type = css.tokenTypes;
  const closing = { [type.LeftCurlyBracket]: type.RightCurlyBracket, [type.Function]:
    type.RightParenthesis, [type.LeftParenthesis]: type.RightParenthesis,
  [type.LeftSquareBracket]: type.RightSquareBracket };
  const closers = Object.values(closing);
  const found = [];
  const open = [];
  css.tokenize(text, (kind, start, end) => {
    const at = { loc: { start: { line: text.slice(0, start).split("\n").length } } };
    if (own(closing, kind)) open.push({ kind, at });
    else if (closers.includes(kind) && (!open.length || closing[open.pop().kind] !== kind))
      found.push(problem(at, "a bracket that nothing opened"));
    if (kind === type.BadString || kind === type.BadUrl || kind === type.Comment &&
      !text.slice(start, end).endsWith("*/")) found.push(problem(at, "a text with no end"));
  });
  return [...found, ...open.map(({ at }) => problem(at, "a bracket that nothing closes"))];
};

const lint_selector = tree => {
  const found = [];
  css.walk(tree, node => {
    const mark = { PseudoClassSelector: ":", PseudoElementSelector: "::" }[node.type];
    if (!mark) return;
    const name = mark + node.name;
    if (!own(known_pseudos, name) && !own(known_pseudos, name + "()"))
      found.push(problem(node, `there is no ${name}`));
  });
  return found;
};

// The values of every custom property, in the order in which they stand. `always`: in no @media.
const custom_properties = tree => {
  const values = {};
  css.walk(tree, { visit: "Declaration", enter(node) {
    if (!node.property.startsWith("--")) return;
    values[node.property] = values[node.property] || [];
    values[node.property].push({ node, text: css.generate(node.value), always: !this.atrule });
  } });
  return values;
};

const lint_value = (node, values) => {
  const found = [];
  const names = [];
  if (node.value.type === "Raw") return found;  // what the parser has told already
  css.walk(node.value, inside => {
    if (inside.type === "Function" && inside.name === "var") names.push(inside.children.first.name);
  });
  const count = Math.max(1, ...names.map(name => (values[name] || []).length));
  for (let index = 0; index < count; ++index) {
    const text = css.generate(node.value).replace(/var\((--[\w-]+)\)/g, (whole, name) =>
      values[name] ? values[name][Math.min(index, values[name].length - 1)].text : whole);
    if (names.some(name => !values[name])) break;  // which is told already
    if (text.includes("var(")) {
      found.push(problem(node, `${node.property}: a var() within or instead of another's value`));
      break;
    }
    const { error } = css.lexer.matchProperty(node.property,
      css.parse(text, { context: "value" }));
    if (error) found.push(problem(node,
      `${node.property}: ${text}: ${error.message.split("\n")[0]}`));
  }
  return found;
};

const lint_block = block => {
  const found = [];
  const seen = [];
  if (block.children.isEmpty) found.push(problem(block, "an empty block"));
  block.children.forEach(({ property, ...node }) => {
    if (!property) return;
    if (seen.includes(property)) found.push(problem(node, `${property} twice in one block`));
    seen.filter(each => resets(property, each)).forEach(each =>
      found.push(problem(node, `${property} undoes ${each} before it`)));
    seen.push(property);
  });
  return found;
};

const parse_style = (text, onParseError) =>
  css.parse(text, { positions: true, parseCustomProperty: true, onParseError });

const lint_style = text => {
  const found = lint_brackets(text);
  const tree = parse_style(text, ({ line, message }) => found.push({ line, text: message }));
  found.forEach(each => { each.grammar = true; });
  const values = custom_properties(tree);
  const used = new Set();
  const rules = new Set();
  css.walk(tree, { enter(node) {
    if (node.type === "Declaration" && !node.property.startsWith("--"))
      found.push(...lint_value(node, values));
    if (node.type === "Function" && node.name === "var") {
      const { name } = node.children.first;
      used.add(name);
      if (!values[name]) found.push(problem(node, `${name} is not defined`));
    }
    if (node.type === "Block" && !(this.atrule && this.atrule.block === node))
      found.push(...lint_block(node));
    if (node.type === "Rule") {
      found.push(...lint_selector(node.prelude));
      const key = (this.atrule ? css.generate(this.atrule.prelude) : "") + "{" +
        css.generate(node.prelude);
      if (rules.has(key)) found.push(problem(node, `${css.generate(node.prelude)} stands twice`));
      rules.add(key);
    }
    if (node.type === "Atrule") {
      const error = css.lexer.checkAtruleName(node.name);
      if (error) found.push(problem(node, error.message));
    }
    if (node.type === "MediaFeature") {
      const syntax = own(media_features, node.name) && media_features[node.name];
      if (!syntax || !node.value || css.lexer.match(syntax, node.value).error)
        found.push(problem(node, `${css.generate(node)}: not a known feature and value`));
    }
  } });
  for (const [name, each] of Object.entries(values)) {
    if (!used.has(name)) found.push(problem(each[0].node, `${name} is not used`));
    if (!each.some(value => value.always))
      found.push(problem(each[0].node, `${name} is not defined where the @media does not hold`));
  }
  return found;
};

// --- Names ---
const names_in_selector = tree => {
  const names = [];
  css.walk(tree, node => {
    if (node.type === "ClassSelector") names.push({ node, kind: "class", name: node.name });
    if (node.type === "IdSelector") names.push({ node, kind: "id", name: node.name });
    if (node.type === "TypeSelector" && node.name !== "*")
      names.push({ node, kind: "element", name: node.name });
    if (node.type === "AttributeSelector") names.push({ node, kind: "attribute",
      name: node.name.name, value: node.value && (node.value.value || node.value.name) });
  });
  return names;
};

const lint_names = ({ style, script, pages }) => {
  if ([...lint_style(style), ...lint_script(script)].some(each => each.grammar))
    return { script: [{ line: 1, text: "an error of grammar cuts style or script short" }] };
  const { used, made } = names_of_script(script);
  const found = { style: [], script: [] };
  const in_style = [];
  css.walk(parse_style(style), node => {
    if (node.type === "Rule") in_style.push(...names_in_selector(node.prelude));
  });
  const in_script = [];
  for (const { node, text } of used.queries) {
    const tree = css.parse(text, { context: "selectorList", onParseError: error =>
      found.script.push(problem(node, `${text}: ${error.message}`)) });
    found.script.push(...lint_selector(tree).map(each => problem(node, each.text)));
    in_script.push(...names_in_selector(tree).map(each => ({ ...each, node })));
  }
  const written = { class: new Set([...pages.classes, ...made.classes]), id: new Set(pages.ids),
    element: new Set([...pages.elements, ...made.elements, ...browser_elements]) };
  const is_written = ({ kind, name, value }) => {
    if (kind !== "attribute") return written[kind].has(name);
    if (made.attributes.includes(name)) return true;
    if (!own(pages.attributes, name)) return false;
    return !value || !pages.attributes[name] || pages.attributes[name].includes(value);
  };
  for (const [where, names] of [["style", in_style], ["script", in_script]])
    found[where].push(...names.filter(each => !is_written(each)).map(each => problem(each.node,
      `no page has the ${each.kind} ${each.name}${each.value ? "=" + each.value : ""}`)));
  found.script.push(...used.data.filter(({ name }) => !own(pages.attributes, name))
    .map(({ node, name }) => problem(node, `no page has the attribute ${name}`)));
  const named = new Set([...in_style, ...in_script].map(({ kind, name }) => `${kind} ${name}`)
    .concat(used.data.map(({ name }) => `attribute ${name}`)));
  const data = Object.keys(pages.attributes).filter(name => name.startsWith("data-"));
  for (const name of [...[...written.class].map(each => `class ${each}`),
    ...data.map(each => `attribute ${each}`)].filter(each => !named.has(each)))
    found.script.push({ line: 1, text: `neither style nor script names the pages' ${name}` });
  return found;
};

// --- Mistakes, put in at the begin of the script's function and at the end of the style ---
const mistakes = [
  ["script", "script", "document.title = tiitle;", /'tiitle' is not defined/],
  ["script", "script", "document.title = event;", /'event' is not defined/],
  ["script", "script", "const lost = () => 1;", /'lost' is assigned a value but never used/],
  ["script", "script", "[].map(code => code);", /'code' is already declared/],
  ["script", "script", "if (document.title == 1) document.title = 2;", /Expected '==='/],
  ["script", "script", "if (document) {", /\(grammar\)/],
  ["script", "script", "document.body.innerHTML = location.hash;", /Markup from text/],
  ["style", "style", ".top { margin: 0", /nothing closes/],
  ["style", "style", "} .top { margin: 0 }", /nothing opened/],
  ["style", "style", ".top { colour: red }", /Unknown property `colour`/],
  ["style", "style", ".top { color: redd }", /color: redd: Mismatch/],
  ["style", "style", ".top { margin: 0 padding: 0 }", /Unexpected input/],
  ["style", "style", ".top { color: var(--inc) }", /--inc is not defined/],
  ["style", "style", ".top { color: var(--mono) }", /color: ui-monospace.*: Mismatch/],
  ["style", "style", ".top { color: var(--ink, red) }", /a var\(\) within or instead/],
  ["style", "style", ":root { --lost: 0 }", /--lost is not used/],
  ["style", "style", "@media (max-width: 1rem) { :root { --on-small: 0 } }", /not defined where/],
  ["style", "style", ".top::befor { margin: 0 }", /there is no ::befor/],
  ["style", "style", "@media (max-widht: 1rem) { .top { margin: 0 } }", /max-widht.*not a known/],
  ["style", "style", "@medai (max-width: 1rem) { .top { margin: 0 } }", /at-rule `@medai`/],
  ["style", "style", ".top { margin-left: 0; margin: 0 }", /margin undoes margin-left/],
  ["style", "style", ".top { top: 0; top: 1px }", /top twice in one block/],
  ["style", "style", ".top { margin: 0 } .top { padding: 0 }", /\.top stands twice/],
  ["names", "style", ".tops { margin: 0 }", /no page has the class tops/],
  ["names", "style", "figcapton { margin: 0 }", /no page has the element figcapton/],
  ["names", "style", "[data-shown] { margin: 0 }", /no page has the attribute data-shown/],
  ["names", "style", "[data-show=answers] { top: 0 }", /no page has the attribute data-show=ans/],
  ["names", "style", "#mian { margin: 0 }", /no page has the id mian/],
  ["names", "script", "all('.item > .labell');", /no page has the class labell/],
  ["names", "script", "all('.item:checkd');", /there is no :checkd/],
  ["names", "script", "one('form').dataset.mani;", /no page has the attribute data-mani/],
  ["names", "script", "make('b', { className: 'lost' });", /names the pages' class lost/],
];
const lint_mistakes = texts => mistakes.flatMap(([look, where, put, expected]) => {
  const start = '"use strict";\n';
  const broken = where === "style" ? texts.style + put : texts.script.replace(start, start + put);
  const told = Object.values(checks[look]({ ...texts, [where]: broken }))
    .reduce((all, each) => all.concat(each.map(({ text }) => text)), []);
  return told.some(each => expected.test(each)) ? []
    : [{ line: 1, text: `not noticed: ${put} ${told.slice(0, 3).join("; ")}` }];
});

const checks = {
  script: ({ script }) => ({ script: lint_script(script) }),
  style: ({ style }) => ({ style: lint_style(style) }),
  names: lint_names,
  mistakes: all => ({ script: ["script", "style", "names"].every(each =>
    Object.values(checks[each](all)).every(found => !found.length)) ? lint_mistakes(all)
    : [{ line: 1, text: "style or script has mistakes, which the others tell" }] }),
};

const [look, folder] = process.argv.slice(2);
const read = name => fs.readFileSync(path.join(folder, name), "utf8");
const texts = { style: read("style.css"), script: read("script.js"),
  pages: JSON.parse(read("pages.json")) };
for (const [where, found] of Object.entries(checks[look](texts)))
  for (const { line, text } of found) {
    console.log(`${texts.pages.file}:${texts.pages.lines[where] + line - 1}: ${text}`);
    process.exitCode = 1;
  }
