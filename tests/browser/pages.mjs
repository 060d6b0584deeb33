// pages PAYROLL_URL KINDS_URL FOLDER: the help pages in a real browser. Called by `run`, which names
// the folder of playwright-core and axe-core in NODE_FOLDER. Screenshots go to FOLDER.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [payroll, kinds, folder] = process.argv.slice(2);
const require = createRequire(process.env.NODE_FOLDER + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

let passed = 0;
let failed = 0;
const check = (name, good, more = "") => {
  good ? ++passed : ++failed;
  console.log(`${good ? "ok  " : "FAIL"} ${name}${good || more === "" ? "" : ": " + more}`);
};
const same = (name, found, expected) =>
  check(name, found === expected, `${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);

const desktop = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const service = name => `${payroll}/soap/v3/${name}.asmx`;
const operation = (name, op) => `${service(name)}?op=${op}`;
const operations = {
  SingleSignOn: ["GetToken", "GetToken2", "GetTokenWithDomain"],
  EmployeeService: ["Address_GetListCurrent", "Address_InsertCurrent"],
  DebtorService: ["WebhookSettings_Get"],
};
const kindsPage = `${kinds}/soap/v3/Kinds.asmx`;
const pages = [
  payroll + "/",
  ...Object.keys(operations).map(service),
  ...Object.entries(operations).flatMap(([name, ops]) => ops.map(op => operation(name, op))),
  kinds + "/", kindsPage,
  ...["Echo", "Ping", "Words", "Maybe", "Check"].map(op => `${kindsPage}?op=${op}`),
];
const short = url => url.replace(/^.*?\/\/[^/]*/, "").replace("/soap/v3/", "");

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

// A page that notes what must not be. Chromium reports every status from 400 on as an error, and a
// fault has one: those are let through, by their exact text.
const noted = [];
const open = async (context, url) => {
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("console", message => {
    const fault = /^Failed to load resource: the server responded with a status of (400|500) /;
    if (["error", "warning"].includes(message.type()) && !fault.test(message.text()))
      noted.push(`${short(page.url())}: ${message.text()}`);
  });
  page.on("pageerror", error => noted.push(`${short(page.url())}: ${error.message}`));
  page.on("request", request => {
    const to = request.url();
    if (!to.startsWith(payroll + "/") && !to.startsWith(kinds + "/") && !to.startsWith("data:"))
      noted.push(`a request to ${to}`);
  });
  await page.addInitScript(() => document.addEventListener("securitypolicyviolation",
    event => console.error("policy violated: " + event.violatedDirective)));
  await page.goto(url);
  return page;
};
const quiet = name => {
  check(name + ": nothing on the console, no request elsewhere, no policy violated",
    noted.length === 0, noted.join("; "));
  noted.length = 0;
};
const accessible = async (page, name) => {
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => axe.run(document, { runOnly:
    ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
  check(`${name}: axe finds nothing`, violations.length === 0 && passes.length > 10,
    violations.map(found => `${found.id} (${found.nodes.map(node => node.html).join(" | ")})`)
      .join("; "));
};
const fits = async (page, name) => {
  const [content, width] = await page.evaluate(
    () => [document.documentElement.scrollWidth, innerWidth]);
  check(`${name}: no scrolling sideways`, content <= width, `${content} > ${width}`);
};

// --- What a person does ---
const at = (page, path) => page.locator(path.split("/").map(name =>
  /^\d+$/.test(name) ? `> .items > .item:nth-child(${name})` : `[data-name=${name}]`).join(" "));
const fill = async (page, values) => {
  for (const [path, value] of Object.entries(values)) {
    const input = at(page, path).locator("label:first-child > :is(input, select)").first();
    if (typeof value === "boolean") await input.setChecked(value);
    else if (await input.evaluate(found => found.matches("select"))) await input.selectOption(value);
    else await input.fill(value);
  }
};
const send = async (page, version) => {
  await page.locator(`input[name=version][value="${version}"]`).check();
  await page.locator("button.main").click();
  await page.waitForFunction(() => document.querySelector(".status b"));
  await page.waitForFunction(() => !document.querySelector("button.main[aria-busy]"));
};
const text = (page, query) => page.locator(query).first().innerText();
const shown = (page, what) => page.locator(`[data-show=${what}]`).textContent();

const calls = [
  ["SingleSignOn", "GetToken", { Username: "alice", Password: "correct horse" },
    { Username: "alice", Password: "wrong" }, "1001"],
  ["SingleSignOn", "GetToken2", { Username: "alice", Token: "api-token-alice" },
    { Username: "alice", Token: "wrong" }, "1001"],
  ["SingleSignOn", "GetTokenWithDomain",
    { Username: "alice", Password: "correct horse", Domain: "acme" },
    { Username: "alice", Password: "correct horse", Domain: "globex" }, "1003"],
  ["EmployeeService", "Address_GetListCurrent", { Domain: "acme", EmployeeId: "1" },
    { Domain: "acme", EmployeeId: "3" }, "2003"],
  ["EmployeeService", "Address_InsertCurrent",
    { Domain: "acme", EmployeeId: "2", "Address/Default": true, "Address/Street": "A & <B>",
      "Address/Type": "WorkAddress" },
    { Domain: "acme", EmployeeId: "3", "Address/Type": "WorkAddress" }, "2003"],
  ["DebtorService", "WebhookSettings_Get", { Domain: "acme", DebtorId: "1" },
    { Domain: "acme", DebtorId: "3" }, "2009"],
];

const answers = {
  GetToken: async page => /^[\w-]{43}$/.test(await text(page, ".one")),
  GetToken2: async page => /^[\w-]{43}$/.test(await text(page, ".one")),
  GetTokenWithDomain: async page => /^[\w-]{43}$/.test(await text(page, ".one")),
  Address_GetListCurrent: async page =>
    await page.locator("[data-show=answer] tbody tr").count() === 3 &&
    (await text(page, "[data-show=answer] thead")).includes("CountryISOCode"),
  Address_InsertCurrent: async page => /^\d+$/.test(await text(page, ".one")),
  WebhookSettings_Get: async page =>
    (await text(page, "[data-show=answer]")).includes("Payroll runs") &&
    await page.locator("[data-show=answer] td table tbody tr").count() === 2,
};

async function everyPage() {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: desktop, colorScheme });
    for (const url of pages) {
      const page = await open(context, url);
      await accessible(page, `${short(url)}, ${colorScheme}`);
      await fits(page, `${short(url)}, 1280`);
      await page.setViewportSize(phone);
      await fits(page, `${short(url)}, 390`);
      if (colorScheme === "light") await accessible(page, `${short(url)}, 390`);
      await page.close();
    }
    await context.close();
  }
  quiet("all pages");
  const context = await browser.newContext();
  const page = await open(context, service("EmployeeService") + "?OP=Address_GetListCurrent");
  same("?OP= in capitals", await text(page, "h1"), "Address_GetListCurrent");
  const missing = await page.goto(service("EmployeeService") + "?op=address_getlistcurrent");
  same("an unknown operation", missing.status(), 404);
  await accessible(page, "an unknown operation");
  noted.length = 0;  // of the 404
  await page.locator(".list a").first().click();
  await page.waitForURL(operation("EmployeeService", "Address_GetListCurrent"));
  await page.locator(".top a").nth(1).click();
  await page.waitForURL(service("EmployeeService"));
  await page.locator(".top a").first().click();
  await page.waitForURL(payroll + "/");
  await page.locator(".list a").first().click();
  await page.waitForURL(service("SingleSignOn"));
  check("links lead down and up again", true);
  await context.close();
}

async function everyOperation() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  for (const [name, op, good, bad, code] of calls) {
    for (const version of ["1.1", "1.2"]) {
      const page = await open(context, operation(name, op));
      await fill(page, good);
      await send(page, version);
      const title = `${op}, SOAP ${version}`;
      check(`${title}: answer`, await answers[op](page), await shown(page, "answer"));
      check(`${title}: status, time and size`,
        /^200 OK\s*[\d.,]+ ms\s*[\d,]+ bytes$/.test(await text(page, ".status")),
        await text(page, ".status"));
      const prefix = version === "1.1" ? "soap" : "soap12";
      check(`${title}: response`, (await shown(page, "response")).includes(
        `\n  <${prefix}:Body>\n    <${op}Response `), await shown(page, "response"));
      check(`${title}: request`, (await shown(page, "request")).includes(
        `\n  <${prefix}:Body>\n    <${op} xmlns="https://payroll.example.com/soap/v3/${name}">`),
        await shown(page, "request"));
      await page.locator("button[type=reset]").click();
      await fill(page, bad);
      await send(page, version);
      same(`${title}: fault code`, await text(page, ".fault h4"),
        "Fault " + (version === "1.1" ? "Client" : "Sender"));
      check(`${title}: fault text`,
        (await text(page, ".fault p")).includes(`---> ${code}: `), await text(page, ".fault p"));
      same(`${title}: fault detail`, await text(page, ".fault dd"), code);
      check(`${title}: fault status`, (await text(page, ".status b")).startsWith(
        version === "1.1" ? "500" : "400"), await text(page, ".status b"));
      if (version === "1.1") await accessible(page, `${title}, fault`);
      await page.close();
    }
  }
  const page = await open(context, operation("EmployeeService", "Address_InsertCurrent"));
  await fill(page, { Domain: "acme", EmployeeId: "2" });
  await at(page, "Address").locator(".include").uncheck();
  await send(page, "1.1");
  check("a group that is not sent is absent",
    (await text(page, ".fault p")).includes("Address_InsertCurrent/Address: is missing"),
    await text(page, ".fault p"));
  await page.locator("[data-part=header] .include").uncheck();
  await send(page, "1.2");
  check("a header that is not sent is absent", !(await shown(page, "request")).includes("Header"),
    await shown(page, "request"));
  check("and that is a fault", (await text(page, ".fault p")).includes("1001"));
  await page.locator("button[type=reset]").click();
  await page.waitForFunction(() => !document.querySelector(".inside[hidden]"));
  await page.locator("button.main").click();
  check("what is required is asked for", await page.evaluate(
    () => document.activeElement.closest("[data-name]").dataset.name === "EmployeeId"));
  await page.close();
  quiet("the forms of all operations");
  await context.close();
}

async function everyKind() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  for (const version of ["1.1", "1.2"]) {
    const page = await open(context, `${kindsPage}?op=Echo`);
    const add = path => at(page, path).locator("> p > .add").click();
    await fill(page, { Flag: true, MaybeFlag: "false", Small: "255", Large: "-9223372036854775808",
      Real: "1.5e300", Exact: "10.50", Text: "<&>\"' é \u{1F600}", Bytes: "U09BUA==",
      Day: "2026-02-28", Moment: "2026-02-28T23:59", Colour: "DarkBlue", Key: "hidden",
      "Part/Number": "-1" });
    await at(page, "MaybeText").locator(".blank input").check();
    await add("Words");
    await add("Words");
    await add("Words");
    await fill(page, { "Words/1": "one", "Words/2": "two", "Words/3": "three" });
    await page.getByRole("button", { name: "Remove Words 2" }).click();
    await add("Colours");
    await at(page, "Box").locator("> .tick > .include").check();
    await fill(page, { "Box/Label": "label" });
    await add("It/Folder");
    await fill(page, { "It/Folder/1/Name": "outer" });
    await at(page, "It/Folder/1/Folder").locator("> p > .add").click();
    await fill(page, { "It/Folder/1/Folder/1/Name": "inner" });
    same(`every kind, SOAP ${version}: a secret is a password`,
      await at(page, "Key").locator("input[type=password]").count(), 1);
    await accessible(page, `every kind, SOAP ${version}, filled`);
    await page.setViewportSize(phone);
    await fits(page, `every kind, SOAP ${version}, filled, 390`);
    await page.setViewportSize(desktop);
    await send(page, version);
    const response = await shown(page, "response");
    const found = response.slice(response.indexOf("<EchoResult>"), response.indexOf("</EchoResult>"))
      .replace(/\s*\n\s*/g, "");
    same(`every kind, SOAP ${version}`, found,
      "<EchoResult><Flag>true</Flag><MaybeFlag>false</MaybeFlag><Small>255</Small>" +
      "<Large>-9223372036854775808</Large><Usual>0</Usual><Real>1.5e+300</Real>" +
      "<Exact>10.50</Exact><Text>&#60;&#38;&#62;\"' é \u{1F600}</Text><MaybeText />" +
      "<Key>hidden</Key><Bytes>U09BUA==</Bytes><Day>2026-02-28</Day>" +
      "<Moment>2026-02-28T23:59:00</Moment><Colour>DarkBlue</Colour><Words>one</Words>" +
      "<Words>three</Words><Colours>Red</Colours><Part><Number>-1</Number></Part><Box>" +
      "<Label>label</Label></Box><Folder><Name>outer</Name><Folder><Name>inner</Name></Folder>" +
      "</Folder>");
    await accessible(page, `every kind, SOAP ${version}, answered`);
    await page.close();
  }
  const page = await open(context, `${kindsPage}?op=Echo`);
  await fill(page, { Small: "256", Large: "1", Real: "abc", Exact: "1e5" });
  const wrong = await page.evaluate(() => ["Small", "Real", "Exact"].filter(
    name => document.querySelector(`[data-name=${name}] input`).validity.valid));
  same("values out of range are refused before they are sent", wrong.join(), "");
  for (const [op, expected] of [["Ping", "Done. This operation returns nothing."],
    ["Drop", "Done. This operation returns nothing."], ["Words", "A-7\nempty"],
    ["Maybe", "The result is absent."]]) {
    await page.goto(`${kindsPage}?op=${op}`);
    if (op === "Words") await fill(page, { Number: "A-7" });
    if (op === "Maybe") await fill(page, { Number: "" });  // which is remembered
    await send(page, "1.2");
    same(`${op}: answer`, (await text(page, "[data-show=answer]")).trim(), expected);
  }
  await page.goto(`${kindsPage}?op=Note`);
  await send(page, "1.1");
  same("one way: answer", (await text(page, "[data-show=answer]")).trim(),
    "Done. This operation returns nothing.");
  same("one way: status", await text(page, ".status b.good"), "202 Accepted");
  for (const version of ["1.1", "1.2"]) {
    await page.goto(`${kindsPage}?op=Größe`);
    await send(page, version);
    same(`an action beyond ASCII, SOAP ${version}`,
      (await text(page, "[data-show=answer]")).trim(), "Done. This operation returns nothing.");
  }
  await page.close();
  quiet("every kind of field");
  await context.close();
}

async function aboveTheForm() {
  for (const [size, viewport] of [["desktop", desktop], ["phone", phone]]) {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
    const page = await open(context, operation("EmployeeService", "Address_InsertCurrent"));
    const link = page.locator("a[href='#try']");
    const { y, height } = await link.boundingBox();
    check(`${size}: the way to the form is on the first screen`, y + height < viewport.height,
      `${y} + ${height}`);
    await link.click();
    const to = await page.locator("#try").boundingBox();
    check(`${size}: and leads to it`, to.y >= 0 && to.y < viewport.height / 2, String(to.y));
    await context.close();
  }
  quiet("the way to the form");
}

async function emptyFields() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  const page = await open(context, `${kindsPage}?op=Check`);
  const marked = await page.locator("form .must").evaluateAll(found =>
    found.map(each => each.closest("[data-name]").dataset.name));
  same("what is required is marked", marked.join(), "Plate");
  check("the box is explained", (await text(page, "form > .soft")).includes(
    'unless the box "empty" beside it says'));
  const box = name => at(page, name).locator(".blank input");
  const valid = name => at(page, name).locator("input").first().evaluate(
    found => found.validity.valid);
  check("required text is asked for", !await valid("Plate"));
  await box("Plate").check();
  check("unless its box says empty", await valid("Plate"));
  await box("Plate").uncheck();
  check("and again when it does not", !await valid("Plate"));
  await fill(page, { Number: "A-1", Plate: "12-AB", Remark: "x" });
  check("a box beside text that is not empty says nothing", await box("Remark").isDisabled());
  await fill(page, { Remark: "" });
  check("and speaks again when it is", await box("Remark").isEnabled());
  await send(page, "1.1");
  check("what is left empty is absent", !(await shown(page, "request")).includes("Remark") &&
    !(await shown(page, "request")).includes("Wait"), await shown(page, "request"));
  await box("Remark").check();
  await send(page, "1.1");
  check("unless its box says that it is empty",
    (await shown(page, "request")).includes("<Remark />"), await shown(page, "request"));
  await page.locator("button[type=reset]").click();
  await page.waitForFunction(() => !document.querySelector("[data-name=Remark] .blank :checked"));
  same("text only has such a box", await page.locator("[data-name=Wait] .blank").count(), 0);
  quiet("what is left empty");
  await context.close();
}

async function patterns() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  const page = await open(context, `${kindsPage}?op=Check`);
  await at(page, "Code").locator("> p > .add").click();
  const words = {
    "Plate": "Wanted: 2 digits, then \"-\", then 2 to 3 capital letters.",
    "Odd": "Wanted: the form (A|B)+.",
    "Wait": "Wanted: a duration, as in P1Y2M3D, PT4H30M or P1DT0.5S.",
    "Code/1": "Wanted: 3 digits." };
  const fits = { "Plate": "12-ABC", "Odd": "BA", "Wait": "PT5M", "Code/1": "123" };
  for (const [name, said] of Object.entries(words)) {
    const input = at(page, name).locator("input").first();
    same(`${name}: its hint`, await at(page, name).locator(".wants").textContent(), said);
    await fill(page, { [name]: "12-AbC" });
    await input.blur();
    same(`${name}: what is said of a misfit`,
      await input.evaluate(found => found.validationMessage), said);
    check(`${name}: which is marked`, await at(page, name).evaluate(found =>
      found.matches(".wrong")) && await input.getAttribute("aria-invalid") === "true");
    if (name === "Plate") await accessible(page, "a misfit");
    await fill(page, { [name]: fits[name] });
    same(`${name}: nothing once it fits`, await input.evaluate(found => found.validationMessage +
      found.closest(".field").matches(".wrong") + found.getAttribute("aria-invalid")),
    "falsefalse");
  }
  same("a hint has both what it means and what is wanted",
    await text(page, "form [data-name=Plate] .hint"), "As on the car. " + words.Plate);
  await fill(page, { Plate: "12" });
  await page.locator("button.main").click();
  check("a misfit is not sent", await page.locator(".answer").isHidden() &&
    await text(page, ".status") === "");
  quiet("patterns");
  await context.close();
}

async function httpFields() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  const page = await open(context, `${kindsPage}?op=Ping`);
  const area = page.locator("[data-part=http] textarea");
  const said = () => area.evaluate(found => found.validationMessage);
  for (const [typed, words] of [
    ["Cookie: a=b", "No browser lets a page send Cookie."],
    ["X-Good: 1\nhost: elsewhere", "No browser lets a page send host."],
    ["Sec-Fetch-Site: none", "No browser lets a page send Sec-Fetch-Site."],
    ["Content-type: text/plain", "The form sends Content-type itself."],
    ["SOAPAction: x", "The form sends SOAPAction itself."],
    ["no field", "Each line is a name, a colon and a value."],
    ["Two Words: x", "Each line is a name, a colon and a value."],
    ["B@d: x", "B@d: HTTP has no such name, or no field with such a value."],
    ["X-Sign: \u20ac", "X-Sign: HTTP has no such name, or no field with such a value."],
    ["", ""], ["\nX-Good: 1\n", ""]]) {
    await area.fill(typed);
    await area.blur();
    same(`HTTP fields: ${JSON.stringify(typed)}`, await said(), words);
    same(`HTTP fields: ${JSON.stringify(typed)}, on the page`,
      await page.locator("[data-part=http] .wants").textContent(), words);
    if (!words) continue;
    await page.locator("button.main").click();
    check("and nothing is sent", await page.locator(".answer").isHidden());
  }
  for (const version of ["1.1", "1.2"]) {
    await area.fill("Authorization: Bearer abc\n\nX-One:1\nX-One: 2");
    const sent = page.waitForRequest(request => request.method() === "POST");
    await send(page, version);
    const headers = await (await sent).allHeaders();
    same(`SOAP ${version}: HTTP fields are sent`,
      `${headers.authorization}; ${headers["x-one"]}`, "Bearer abc; 1, 2");
    same(`SOAP ${version}: beside the form's own`,
      headers["content-type"].replace(/; action="[^"]+"$/, "; action"), version === "1.1"
        ? "text/xml; charset=utf-8" : "application/soap+xml; charset=utf-8; action");
    same(`SOAP ${version}: and served`, await text(page, ".status b"), "200 OK");
  }
  quiet("HTTP fields");
  await context.close();
}

async function remembered() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  const value = (page, query) => page.locator(query).first().inputValue();
  const http = "[data-part=http] textarea";
  const number = "[data-part=header] [data-name=Number] input";
  const page = await open(context, `${kindsPage}?op=Check`);
  await fill(page, { Number: "A-9", Plate: "12-AB" });
  await page.locator(http).fill("Authorization: Bearer abc");
  await page.goto(`${kindsPage}?op=Words`);
  same("a header is remembered", await value(page, number), "A-9");
  same("HTTP fields are", await value(page, http), "Authorization: Bearer abc");
  const sent = page.waitForRequest(request => request.method() === "POST");
  await send(page, "1.1");
  same("and sent", (await (await sent).allHeaders()).authorization, "Bearer abc");
  same("both", (await text(page, "[data-show=answer]")).split("\n")[0], "A-9");
  await page.goto(`${kindsPage}?op=Maybe`);
  await page.locator("[data-part=header] .include").uncheck();
  await page.reload();
  check("a header that is not sent stays so",
    !await page.locator("[data-part=header] .include").isChecked() &&
    await page.locator("[data-part=header] > .inside").isHidden());
  await page.goto(`${kindsPage}?op=Check`);
  same("parameters are not remembered", await value(page, "[data-name=Plate] input"), "");
  const other = await open(context, `${kindsPage}?op=Check`);
  same("nor is anything in another tab", await value(other, number) + await value(other, http), "");
  same("nothing outlives the tab", await page.evaluate(
    () => localStorage.length + document.cookie.length), 0);
  await page.locator("button[type=reset]").click();
  await page.waitForFunction(query => !document.querySelector(query).value, number);
  await page.goto(`${kindsPage}?op=Words`);
  same("Clear forgets", await value(page, number) + await value(page, http), "");
  await page.goto(operation("EmployeeService", "Address_GetListCurrent"));
  await fill(page, { Domain: "acme", Token: "api-token-alice" });
  await page.goto(operation("DebtorService", "WebhookSettings_Get"));
  same("another service of this host has the same", await value(page, "[data-name=Domain] input") +
    await value(page, "[data-name=Token] input"), "acmeapi-token-alice");
  quiet("what is remembered");
  await context.close();
}

async function wideTables() {
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ viewport: phone, colorScheme });
    const page = await open(context, operation("EmployeeService", "Address_GetListCurrent"));
    await fill(page, { Domain: "acme", EmployeeId: "1" });
    await send(page, "1.1");
    const wide = page.locator("[data-show=answer] .scroll").first();
    check("a wide table scrolls on a phone", await wide.evaluate(
      found => found.scrollWidth > found.clientWidth + 100));
    // The right edge has a shade until all that is there was seen, and then the left one.
    const edges = async () => {
      await wide.scrollIntoViewIfNeeded();
      const { x, y, width } = await wide.boundingBox();
      const strip = left => page.screenshot({ clip: { x: left, y: y + 8, width: 6, height: 3 } });
      return [await strip(x), await strip(x + width - 6)];
    };
    const before = await edges();
    await wide.evaluate(found => { found.scrollLeft = 1e6; });
    const after = await edges();
    check(`${colorScheme}: a shade shows on which side there is more`,
      !before[0].equals(before[1]) && !before[1].equals(after[1]) && !before[0].equals(after[0]));
    await context.close();
  }
  quiet("wide tables");
}

async function samples() {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  for (const url of pages.filter(found => found.includes("?op="))) {
    const page = await open(context, url);
    const op = url.split("=")[1];
    await page.locator("label[for=ascurl]").click();
    const panel = page.locator("#samples + fieldset > .panel").nth(2);
    check(`${op}: the curl tab shows`, await panel.isVisible());
    await panel.locator("button").click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    same(`${op}: what is copied`, copied, await panel.locator("pre").textContent());
    const response = execFileSync("bash", ["-c", copied.replace(/^curl /, "curl -sS ")],
      { encoding: "utf8", timeout: 30000 });
    // A sample's password is none: those who check it say so, and nothing else.
    check(`${op}: the curl line works`,
      response.includes(`<${op}Response`) || response.includes("1001: Invalid Authentication"), response);
    await page.close();
  }
  quiet("the samples");
  await context.close();
}

async function keyboard() {
  const context = await browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
  const page = await open(context, operation("SingleSignOn", "GetToken2"));
  const press = key => page.keyboard.press(key);
  const focused = () => page.evaluate(() => {
    const found = document.activeElement;
    const beside = found.matches(".tabs > input") ? found.nextElementSibling : found;
    return { name: found.closest("[data-name]")?.dataset.name || found.id || found.className,
      tag: found.localName, text: found.textContent, type: found.type,
      ring: getComputedStyle(beside).outlineStyle !== "none" };
  });
  let rings = true;
  const tabTo = async (what, wanted) => {
    for (let steps = 0; steps < 60; ++steps) {
      await press("Tab");
      const now = await focused();
      rings &&= now.ring;
      if (wanted(now)) return check(`keyboard: ${what} is reached`, true);
    }
    check(`keyboard: ${what} is reached`, false, JSON.stringify(await focused()));
  };
  await tabTo("the skip link", now => now.name === "skip");
  await press("Enter");
  await tabTo("the samples", now => now.name === "as11");
  await press("ArrowRight");
  check("keyboard: arrows change the sample",
    await page.locator("#samples + fieldset > .panel").nth(1).isVisible());
  await tabTo("Username", now => now.name === "Username" && now.type === "text");
  await page.keyboard.type("alice");
  await tabTo("Token", now => now.name === "Token" && now.type === "password");
  await page.keyboard.type("api-token-alice");
  await tabTo("the version", now => now.type === "radio" && now.tag === "input");
  await press("ArrowRight");
  await press("Enter");
  await page.waitForSelector(".answer:not([hidden])");
  check("keyboard: the answer comes", await answers.GetToken2(page));
  check("keyboard: in the version that was chosen",
    (await shown(page, "request")).includes("soap12:Envelope"));
  await tabTo("the response", now => now.name === "showanswer");
  await press("ArrowRight");
  check("keyboard: the response is shown", await page.locator("[data-show=response]").isVisible());
  check("keyboard: focus is always visible", rings);
  same("the answer is announced", await page.locator(".status").getAttribute("role"), "status");
  quiet("keyboard");
  await context.close();
}

// What any server may answer: it comes from here, not from the service.
async function largeAndMixed() {
  const context = await browser.newContext({ viewport: desktop });
  const page = await open(context, `${kindsPage}?op=Words`);
  await fill(page, { Number: "A-7" });
  const answered = async inside => {
    const body = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<WordsResponse xmlns="urn:x"><WordsResult>${inside}</WordsResult></WordsResponse>` +
      "</s:Body></s:Envelope>";
    await page.route("**/Kinds.asmx", route => route.fulfill({ contentType: "text/xml", body }));
    await send(page, "1.1");
    await page.unroute("**/Kinds.asmx");
    same("an answer of " + body.length + " bytes came", await text(page, ".status b"), "200 OK");
    check("and is shown", await page.locator(".answer").isVisible());
  };
  await answered("<Row><A>1</A></Row>".repeat(70000));
  same("many rows are shown", await page.locator("[data-show=answer] tbody tr").count(), 70000);
  same("many rows are in the XML", (await shown(page, "response")).split("<Row>").length, 70001);
  await answered("<a>".repeat(4000) + "x" + "</a>".repeat(4000));
  check("an answer nested too deeply says so",
    (await shown(page, "answer")).includes("nested too deeply") &&
    (await shown(page, "response")).includes("<a>x</a>"));
  await answered("<Row>one <b>bold</b><!--c--> two</Row><Row><![CDATA[<3>]]><b /></Row>\n <Row />");
  const xml = await shown(page, "response");
  check("text beside elements is in the XML",
    xml.includes(">one <b>bold</b><!--c--> two</Row>\n") &&
    xml.includes("><![CDATA[<3>]]><b/></Row>\n        <Row />\n"), xml);
  quiet("large and mixed answers");
  await context.close();
}

async function withoutScript() {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: phone });
  const page = await context.newPage();
  await page.goto(operation("EmployeeService", "Address_InsertCurrent"));
  check("without script: the form is away", !await page.locator("form").isVisible());
  check("without script: that is said", await page.getByText("needs JavaScript").isVisible());
  await page.locator("label[for=as12]").click();
  check("without script: samples can be chosen",
    await page.locator("[aria-label='SOAP 1.2 request']").isVisible() &&
    !await page.locator("[aria-label='SOAP 1.1 request']").isVisible());
  await context.close();
}

async function screenshots() {
  for (const [size, viewport] of [["desktop", desktop], ["phone", phone]]) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce" });
      const page = await open(context, payroll + "/");
      const shoot = (name, fullPage = true) =>
        page.screenshot({ path: `${folder}/${name}-${size}-${colorScheme}.png`, fullPage });
      await shoot("index");
      await page.goto(service("EmployeeService"));
      await shoot("service");
      await page.goto(operation("EmployeeService", "Address_InsertCurrent"));
      await shoot("operation");
      await page.goto(operation("SingleSignOn", "GetToken"));
      await shoot("deprecated");
      for (const [name, id] of [["answer", "1"], ["fault", "3"]]) {
        await page.goto(operation("DebtorService", "WebhookSettings_Get"));
        await fill(page, { Domain: "acme", DebtorId: id });
        await send(page, "1.1");
        await page.evaluate(() => scrollTo(0, document.querySelector(".send").offsetTop - 220));
        await shoot(name, false);
      }
      await page.goto(operation("EmployeeService", "Address_GetListCurrent"));
      await fill(page, { EmployeeId: "1" });
      await send(page, "1.1");
      await page.evaluate(() => scrollTo(0, document.querySelector(".send").offsetTop - 220));
      await shoot("table", false);
      await page.goto(`${kindsPage}?op=Check`);
      await fill(page, { Plate: "12" });
      await page.locator("[data-part=http] textarea").fill("Cookie: a=b");
      await page.locator("[data-part=http] textarea").blur();
      await page.locator("form").screenshot({ path: `${folder}/form-${size}-${colorScheme}.png` });
      await page.goto(`${kindsPage}?op=Echo`);
      await shoot("every-kind");
      await context.close();
    }
  }
  quiet("screenshots");
}

try {
  for (const part of [everyPage, everyOperation, everyKind, aboveTheForm, emptyFields, patterns,
    httpFields, remembered, wideTables, samples, keyboard, largeAndMixed, withoutScript, screenshots])
    await part().catch(error => check(part.name, false, error.message));
} finally {
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
